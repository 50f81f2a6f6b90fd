import { join } from 'node:path';
import type { Browser, BrowserContextOptions, Page } from 'playwright';
import { PICTURES } from './picture-scenes.ts';
import type { Scene } from './scene.ts';
import { settled, signInAs } from './scenes.ts';
import { savePicture } from './take-shots.ts';

const SIZES: Readonly<Record<string, BrowserContextOptions>> = {
  wide: { viewport: { width: 1440, height: 900 } },
  phone: { viewport: { width: 375, height: 667 }, deviceScaleFactor: 2, hasTouch: true },
};
const ICONS = { 'icon-192': 192, 'icon-512': 512, 'apple-touch-icon': 180 } as const;
/** The share of an icon that the mark fills: round icons cut off the rest. */
const MARK_SHARE = 0.56;
const CARD = { width: 1200, height: 630 };

type Account = { readonly admin: string; readonly password: string };

type Taking = {
  readonly browser: Browser;
  readonly baseURL: string;
  readonly by: Account;
  readonly folder: string;
  readonly scenes: readonly Scene[];
};

/** The pictures of the product that its own pages show, in both themes and sizes, as WebP. */
export async function takePictures({ browser, baseURL, by, folder, scenes }: Taking) {
  for (const colorScheme of ['light', 'dark'] as const) {
    for (const [size, look] of Object.entries(SIZES)) {
      const context = await browser.newContext({
        ...look,
        baseURL,
        colorScheme,
        reducedMotion: 'reduce',
      });
      context.setDefaultTimeout(15_000);
      await signInAs(context, 'admin', by);
      for (const scene of scenes) {
        const name = PICTURES[scene.name];
        if (!name) continue;
        const page = await context.newPage();
        await page.goto(scene.path);
        await settled(page);
        await scene.act?.(page);
        await settled(page);
        await savePicture(page, join(folder, `${name}-${colorScheme}-${size}.webp`), false);
        await page.close();
      }
      await context.close();
    }
  }
}

/** The product's images elsewhere: the card of its links, and the icons. */
export async function takeMarks(browser: Browser, baseURL: string, folder: string) {
  const page = await browser.newPage({ baseURL, viewport: CARD, reducedMotion: 'reduce' });
  await withGraphicsCard(page);
  await page.goto('/');
  await page.locator('canvas[data-shapes]').waitFor();
  await page.getByRole('banner').evaluate((header) => header.remove());
  await page.screenshot({ path: join(folder, 'card.png') });
  for (const [name, size] of Object.entries(ICONS)) {
    await page.setViewportSize({ width: size, height: size });
    await page.goto('/favicon.svg');
    const side = Math.round(size * MARK_SHARE);
    const mark = `data:image/svg+xml,${encodeURIComponent(await page.content())}`;
    await page.goto('about:blank');
    await page.setContent(
      `<body style="margin:0;height:100vh;display:grid;place-items:center;background:#fbf8f3">
        <img src="${mark}" width="${side}" height="${side}" alt=""></body>`,
    );
    await page.locator('img').evaluate('(image) => image.decode()');
    await page.screenshot({ path: join(folder, `${name}.png`) });
  }
  await page.close();
}

/** As on a machine with a graphics card, whose name the page checks. */
export const withGraphicsCard = (page: Page): Promise<unknown> =>
  page.addInitScript(`{
    const before = WebGL2RenderingContext.prototype.getExtension;
    WebGL2RenderingContext.prototype.getExtension = function (name) {
      return name === 'WEBGL_debug_renderer_info' ? null : before.call(this, name);
    };
  }`);
