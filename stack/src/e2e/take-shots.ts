import { mkdir, writeFile } from 'node:fs/promises';
import { dirname } from 'node:path';
import { setTimeout as wait } from 'node:timers/promises';
import type { Browser, BrowserContext, Page } from 'playwright';
import { pageFaults } from './page-faults.ts';
import type { Scene } from './scene.ts';
import { settled, signInAs } from './scenes.ts';
import type { Shot } from './sweep.ts';

/** Concurrent screenshots. */
const HANDS = 2;
/** The maximum height of WebP. */
const HEIGHT_MAX = 16_383;
const PICTURE_MS_MAX = 30_000;

type Taking = {
  readonly browser: Browser;
  readonly url: string;
  readonly scenes: readonly Scene[];
  readonly account: { readonly admin: string; readonly password: string };
  /** Receives the finished page. */
  readonly keep: (page: Page, shot: Shot, scene: Scene) => Promise<void>;
};

/** Takes all screenshots, and returns the obstacles, each with the name of its screenshot. */
export async function takeShots(shots: readonly Shot[], taking: Taking): Promise<string[]> {
  const faults: string[] = [];
  // Actions change a newcomer's organization, and a chosen language is shared by all pages of the
  // browser: each of these starts from scratch.
  const isAlone = (shot: Shot) =>
    shot.as === 'newcomer' || languageBefore(shot, sceneOf(shot, taking)) !== shot.language;
  const keyOf = (shot: Shot, at: number) =>
    `${signInKey(shot, sceneOf(shot, taking))} ${isAlone(shot) ? at : ''}`;
  const groups = Map.groupBy(shots.entries(), ([at, shot]) => keyOf(shot, at)).values();
  const hand = async () => {
    for (const group of groups) {
      const [[, first] = []] = group;
      if (!first) continue;
      const context = await signedIn(first, taking);
      for (const [, shot] of group) faults.push(...(await take(context, shot, taking)));
      await context.close();
    }
  };
  await Promise.all(Array.from({ length: HANDS }, hand));
  return faults.toSorted();
}

export const nameOf = ({ scene, as, theme, width, language }: Shot) =>
  [scene, as, theme, width, language].join('-');

/** As WebP, which is a third of the size of PNG. */
export async function savePicture(page: Page, file: string, isWhole: boolean): Promise<void> {
  // A hidden page may never be drawn.
  await page.bringToFront();
  const session = await page.context().newCDPSession(page);
  const { cssContentSize, cssVisualViewport } = await session.send('Page.getLayoutMetrics');
  const { clientWidth: width, clientHeight, pageY } = cssVisualViewport;
  const height = Math.min(isWhole ? cssContentSize.height : clientHeight, HEIGHT_MAX);
  const captured = session.send('Page.captureScreenshot', {
    format: 'webp',
    quality: 80,
    captureBeyondViewport: isWhole,
    // From the top of the page, whatever its scroll position.
    clip: { x: 0, y: isWhole ? 0 : pageY, width, height, scale: 1 },
  });
  const late = wait(PICTURE_MS_MAX, null, { ref: false });
  const { data = '' } = (await Promise.race([captured, late])) ?? {};
  if (data === '') throw new Error('No picture of it came');
  await mkdir(dirname(file), { recursive: true });
  await writeFile(file, Buffer.from(data, 'base64'));
}

function sceneOf({ scene: name }: Shot, { scenes }: Taking): Scene {
  const scene = scenes.find((each) => each.name === name);
  if (!scene) throw new Error(`There is no scene ${name}`);
  return scene;
}

const isSmall = ({ width }: Shot) => width < 900;
/** Actions use English texts; the language is chosen afterwards. */
const languageBefore = (shot: Shot, scene: Scene) => (scene.act ? 'en' : shot.language);
const signInKey = (shot: Shot, scene: Scene) =>
  [shot.as, isSmall(shot), languageBefore(shot, scene)].join(' ');

async function signedIn(shot: Shot, taking: Taking): Promise<BrowserContext> {
  const context = await taking.browser.newContext({
    baseURL: taking.url,
    locale: languageBefore(shot, sceneOf(shot, taking)),
    hasTouch: isSmall(shot),
    reducedMotion: 'reduce',
  });
  context.setDefaultTimeout(30_000);
  await signInAs(context, shot.as, taking.account);
  return context;
}

/** The obstacles on the page, or the reason why there is no picture. */
async function take(context: BrowserContext, shot: Shot, taking: Taking): Promise<string[]> {
  const scene = sceneOf(shot, taking);
  const page = await context.newPage();
  try {
    await page.emulateMedia({ colorScheme: shot.theme });
    await page.setViewportSize({ width: shot.width, height: isSmall(shot) ? 812 : 900 });
    await page.goto(scene.path);
    await settled(page);
    await scene.act?.(page);
    if (languageBefore(shot, scene) !== shot.language) await speak(page, shot.language);
    const faults = await pageFaults(page);
    await taking.keep(page, shot, scene);
    return faults.map((fault) => `${nameOf(shot)}: ${fault}`);
  } catch (error) {
    return [`${nameOf(shot)}: can't be taken: ${error}`];
  } finally {
    await page.close();
  }
}

/** The page adopts a language chosen in another tab, with its dialogs open. */
async function speak(page: Page, language: string) {
  await page.evaluate(
    `dispatchEvent(new StorageEvent('storage', {
      key: 'tallyhand-language', newValue: ${JSON.stringify(language)},
    }))`,
  );
  await page.locator(`html[lang="${language}"]`).waitFor();
  await settled(page);
}
