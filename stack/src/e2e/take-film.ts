import { mkdir, rm, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import type { Browser, CDPSession, Locator, Page } from 'playwright';
import { settled } from './scenes.ts';
import { dialog, field } from './steps.ts';

const SIZE = { width: 1200, height: 750 };
const QUALITY = 60;
/** All frames together. */
const BYTES_MAX = 2_000_000;
/** From the empty sign-up form to the answer. */
const WALK_MS_MAX = 180_000;

const POINTER_STEPS = 3;
const POINTER_MS = 60;
const PRESS_MS = 200;
const TYPING_MS = 120;
const CHARACTERS_AT_ONCE = 9;

/** Screenshots have no pointer: this one follows the mouse. */
const POINTER = `addEventListener('DOMContentLoaded', () => {
  const svg = (name, attributes) => {
    const element = document.createElementNS('http://www.w3.org/2000/svg', name);
    for (const [key, value] of Object.entries(attributes)) element.setAttribute(key, value);
    return element;
  };
  const pointer = svg('svg', { viewBox: '0 0 24 24' });
  pointer.append(svg('path', {
    d: 'M4 2v17l4.5-4 3 6.5 3-1.4-3-6.4H18z', fill: '#111', stroke: '#fff', 'stroke-width': '1.5',
  }));
  Object.assign(pointer.style, {
    position: 'fixed', left: '0', top: '0', width: '28px', height: '28px',
    zIndex: '2147483647', pointerEvents: 'none', translate: sessionStorage.pointer ?? '600px 420px',
  });
  document.documentElement.append(pointer);
  addEventListener('mousemove', ({ clientX, clientY }) => {
    sessionStorage.pointer = (clientX - 4) + 'px ' + (clientY - 2) + 'px';
    pointer.style.translate = sessionStorage.pointer;
  }, { capture: true });
})`;

type Frame = { readonly chapter: string; readonly image: string; ms: number };

/** The frames of one page, each as long as it is shown. */
class Film {
  readonly frames: Frame[] = [];
  readonly #page: Page;
  readonly #session: CDPSession;
  #chapter = '';
  #pointer = { x: 600, y: 420 };

  private constructor(page: Page, session: CDPSession) {
    this.#page = page;
    this.#session = session;
  }

  static async of(page: Page): Promise<Film> {
    return new Film(page, await page.context().newCDPSession(page));
  }

  /** The frames from here on belong to this caption. */
  begin(chapter: string) {
    this.#chapter = chapter;
  }

  async shoot(ms: number) {
    await this.#page.bringToFront();
    const options = { format: 'webp', quality: QUALITY } as const;
    const { data: image } = await this.#session.send('Page.captureScreenshot', options);
    const last = this.frames.at(-1);
    if (last?.image === image && last.chapter === this.#chapter) last.ms += ms;
    else this.frames.push({ chapter: this.#chapter, image, ms });
  }

  async press(control: Locator) {
    await control.scrollIntoViewIfNeeded();
    const box = await control.boundingBox();
    if (!box) throw new Error('There is nothing to press');
    const from = this.#pointer;
    const to = { x: box.x + Math.min(box.width / 2, 120), y: box.y + box.height / 2 };
    for (let step = 1; step <= POINTER_STEPS; step++) {
      const share = step / POINTER_STEPS;
      const [x, y] = [from.x + (to.x - from.x) * share, from.y + (to.y - from.y) * share];
      await this.#page.mouse.move(x, y);
      await this.shoot(step === POINTER_STEPS ? PRESS_MS : POINTER_MS);
    }
    this.#pointer = to;
    await this.#page.mouse.down();
    await this.#page.mouse.up();
  }

  async type(control: Locator, text: string) {
    await control.focus();
    for (let at = 0; at < text.length; at += CHARACTERS_AT_ONCE) {
      await this.#page.keyboard.insertText(text.slice(at, at + CHARACTERS_AT_ONCE));
      await this.shoot(TYPING_MS);
    }
  }
}

/** Walks through the first hour; returns its frames, and the milliseconds that the walk took. */
async function walk(page: Page, email: string, password: string) {
  const film = await Film.of(page);
  const main = page.getByRole('main');
  await page.goto('/auth?tab=register');
  await settled(page);
  const beganAt = performance.now();

  film.begin('signUp');
  await film.shoot(2_000);
  await film.type(field(page, 'organizationName'), 'Harbour Books');
  await film.type(field(page, 'username'), 'Anna Berg');
  await film.type(field(page, 'email'), email);
  await film.type(field(page, 'password'), password);
  await film.type(field(page, 'confirmPassword'), password);
  await film.press(page.getByRole('button', { name: 'Create Account' }));
  await page.waitForURL('**/dashboard');
  const templates = main.getByRole('link', { name: 'Start from a template' });
  await templates.waitFor();
  await settled(page);

  film.begin('start');
  await film.shoot(2_600);
  await film.press(templates);
  const support = dialog(page).getByRole('button', { name: /^Customer support/ });
  await support.waitFor();
  await film.shoot(1_800);
  await film.press(support);

  film.begin('article');
  const article = field(page, 'article.content');
  await article.waitFor();
  await film.shoot(1_600);
  await article.scrollIntoViewIfNeeded();
  await film.shoot(2_600);
  await film.press(dialog(page).getByRole('button', { name: 'Create Agent' }));

  film.begin('question');
  const ask = dialog(page).getByRole('link', { name: 'Ask the first question' });
  await ask.waitFor();
  await film.shoot(2_400);
  await film.press(ask);
  await page.waitForURL('**/execute');
  const execute = main.getByRole('button', { name: /^Execute Task/ });
  await execute.waitFor();
  await settled(page);
  await film.shoot(2_000);
  await film.press(execute);

  film.begin('answer');
  const completed = main.getByRole('region', { name: 'Completed' });
  await completed
    .getByText(/within 30 days of delivery/)
    .first()
    .waitFor();
  const walkMs = performance.now() - beganAt;
  await film.shoot(3_600);
  await completed.scrollIntoViewIfNeeded();
  await film.shoot(2_400);

  film.begin('ledger');
  await page.goto('/dashboard');
  await main.getByText('4 of 5 done').waitFor();
  await settled(page);
  await film.shoot(2_600);
  await page.goto('/billing?tab=ledger');
  await settled(page);
  await page.keyboard.press('End');
  await film.shoot(3_600);
  return { frames: film.frames, walkMs };
}

type Filming = { browser: Browser; baseURL: string; folder: string; password: string };

/**
 * Films a newcomer's way to the first answer, for "Watch demo". The name of a frame has its number, its
 * caption and how many milliseconds it is shown.
 */
export async function takeFilm({ browser, baseURL, folder, password }: Filming): Promise<string> {
  const context = await browser.newContext({
    baseURL,
    viewport: SIZE,
    locale: 'en',
    colorScheme: 'light',
    reducedMotion: 'reduce',
  });
  context.setDefaultTimeout(30_000);
  const page = await context.newPage();
  await page.addInitScript(POINTER);
  const { frames, walkMs } = await walk(page, 'anna@harbour-books.example', password);
  await context.close();
  if (walkMs > WALK_MS_MAX) throw new Error(`The first hour took ${Math.round(walkMs / 1000)} s`);
  await rm(folder, { recursive: true, force: true });
  await mkdir(folder, { recursive: true });
  let bytes = 0;
  for (const [at, { chapter, image, ms }] of frames.entries()) {
    const content = Buffer.from(image, 'base64');
    bytes += content.length;
    const name = `${String(at).padStart(3, '0')}-${chapter}-${ms}.webp`;
    await writeFile(join(folder, name), content);
  }
  if (bytes > BYTES_MAX) throw new Error(`The film has ${bytes} bytes, more than ${BYTES_MAX}`);
  const seconds = frames.reduce((sum, { ms }) => sum + ms, 0) / 1000;
  const size = `${frames.length} frames, ${seconds.toFixed(0)} s, ${(bytes / 1e6).toFixed(2)} MB`;
  return `${size}; the walk itself took ${(walkMs / 1000).toFixed(1)} s`;
}
