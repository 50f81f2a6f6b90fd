import { randomUUID } from 'node:crypto';
import { chmod, mkdir, mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { launchChromium } from '@tallyhand/browser-runner/chromium';
import type { Browser, BrowserContext } from 'playwright';
import { demoEmail, fillDemo } from '../demo/fill.ts';
import { keptPort } from '../postgres/kept-port.ts';
import { startSupervisor } from '../supervisor/start-supervisor.ts';
import { fillBilling } from './billing-history.ts';
import type { Scene, Visitor } from './scene.ts';
import { scenes, settled, signInAs } from './scenes.ts';

const pathOf = (relative: string) => fileURLToPath(new URL(relative, import.meta.url));
const screens = pathOf('../../../docs/screens/');
const images = pathOf('../../../docs/images/');
const password = randomUUID();
/** The beginning of the scenes' names; without any all scenes are taken. */
const wanted = process.argv.slice(2);
const isWanted = ({ name }: Scene) =>
  wanted.length === 0 || wanted.some((beginning) => name.startsWith(beginning));

/** Those that the README shows, with the names of their files. */
const SHOWN: Readonly<Record<string, string>> = {
  dashboard: 'dashboard',
  'agents-execute': 'execute',
  'task-output': 'task',
  'billing-verified': 'ledger',
};

async function shoot(context: BrowserContext, scene: Scene, file: string) {
  const page = await context.newPage();
  try {
    await page.goto(scene.path);
    await settled(page);
    await scene.act?.(page);
    await settled(page);
    await page.screenshot({ path: file, fullPage: scene.act === undefined });
  } catch (error) {
    throw new Error(`${file} can't be made: ${error}`);
  } finally {
    await page.close();
  }
}

async function shootAll(browser: Browser, url: string) {
  const visitors: readonly Visitor[] = ['nobody', 'newcomer', 'viewer', 'admin'];
  for (const colorScheme of ['light', 'dark'] as const) {
    for (const width of [1440, 768, 375]) {
      for (const visitor of visitors) {
        const context = await browser.newContext({
          baseURL: url,
          colorScheme,
          viewport: { width, height: width < 900 ? 812 : 900 },
          hasTouch: width < 900,
          reducedMotion: 'reduce',
        });
        context.setDefaultTimeout(15_000);
        await signInAs(context, visitor, { admin: demoEmail, password });
        for (const scene of scenes.filter((it) => it.as === visitor && isWanted(it))) {
          await shoot(context, scene, join(screens, `${scene.name}-${colorScheme}-${width}.png`));
          const shown = SHOWN[scene.name];
          if (!shown || width < 1440 || colorScheme === 'dark') continue;
          await shoot(context, scene, join(images, `${shown}.png`));
        }
        await context.close();
      }
    }
  }
}

const dataDir = await mkdtemp(join(tmpdir(), 'tallyhand-screens-'));
await using ends = new AsyncDisposableStack();
ends.defer(() => rm(dataDir, { recursive: true, force: true }));
// PostgreSQL does not run as root: its own user must be able to enter the folder.
await chmod(dataDir, 0o755);
const stopping = new AbortController();
process.once('SIGINT', () => stopping.abort());
const port = await keptPort(join(dataDir, 'screens.port'));
const supervisor = await startSupervisor({
  env: { DATA_DIR: dataDir, PORT: String(port), RATE_LIMIT_SCALE: '1000' },
  baseDir: dataDir,
  programs: {
    eventStore: pathOf('../../../event-store/src/main.ts'),
    application: pathOf('../application.main.ts'),
    browserRunner: pathOf('../../../browser-runner/src/main.ts'),
  },
  say: (line) => console.log(line),
  stopping: stopping.signal,
});
ends.defer(() => supervisor.stop());
await fillDemo(supervisor.publicUrl, password);
await fillBilling(supervisor.publicUrl, demoEmail, password);
const browser = await launchChromium();
ends.defer(() => browser.close());
await mkdir(screens, { recursive: true });
await shootAll(browser, supervisor.publicUrl);
console.log(`The pictures are in ${screens} and ${images}`);
