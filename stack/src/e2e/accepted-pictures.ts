import { copyFile, mkdir, readdir, readFile, rm, writeFile } from 'node:fs/promises';
import { basename, join } from 'node:path';
import type { Page } from 'playwright';
import { type Compared, differencesPage, summaryOf } from './differences-page.ts';
import { differenceOf } from './picture-difference.ts';

/**
 * The pictures of a run (`sweep`), those that were last accepted, and the differences: folders that git
 * ignores, beside `differences.html`.
 */
export class AcceptedPictures {
  readonly #folder: string;

  constructor(folder: string) {
    this.#folder = folder;
  }

  #file(folder: 'accepted' | 'sweep' | 'differences', name: string) {
    return join(this.#folder, folder, `${name}.png`);
  }

  /** Forgets the last run. */
  async clear() {
    for (const folder of ['sweep', 'differences']) {
      await rm(join(this.#folder, folder), { recursive: true, force: true });
    }
  }

  /** Takes the picture of a page, without what is another in every run. */
  async take(page: Page, name: string, isWhole: boolean) {
    await page.evaluate(HIDE_WHAT_VARIES);
    await page.screenshot({ path: this.#file('sweep', name), fullPage: isWhole });
  }

  /** Compares the pictures of this run; returns a summary, and where to look. */
  async compare(): Promise<string> {
    const names = await this.#taken();
    await mkdir(join(this.#folder, 'differences'), { recursive: true });
    const compared: Compared[] = [];
    for (const name of names) compared.push(await this.#compare(name));
    const page = join(this.#folder, 'differences.html');
    await writeFile(page, differencesPage(compared));
    return `${summaryOf(compared)}: ${page}`;
  }

  async #compare(name: string): Promise<Compared> {
    const accepted = await readFile(this.#file('accepted', name)).catch(() => undefined);
    if (!accepted) return { name, state: 'new' };
    const difference = differenceOf(accepted, await readFile(this.#file('sweep', name)));
    if (difference.state === 'same') return { name, state: 'same' };
    await writeFile(this.#file('differences', name), difference.picture);
    return { name, state: 'changed', share: difference.share };
  }

  async #taken(): Promise<string[]> {
    const files = await readdir(join(this.#folder, 'sweep')).catch(() => []);
    return files.map((file) => basename(file, '.png'));
  }

  /** From now on the last run's pictures are right, those whose names begin like this. Returns how many. */
  async accept(beginnings: readonly string[]): Promise<number> {
    await mkdir(join(this.#folder, 'accepted'), { recursive: true });
    const names = (await this.#taken()).filter(
      (name) => beginnings.length === 0 || beginnings.some((it) => name.startsWith(it)),
    );
    for (const name of names) {
      await copyFile(this.#file('sweep', name), this.#file('accepted', name));
    }
    return names.length;
  }
}

/**
 * Times and ids keep their places and can't be seen. The style comes by script, because the pages'
 * Content-Security-Policy refuses a <style>.
 */
const HIDE_WHAT_VARIES = `{
  const sheet = new CSSStyleSheet();
  sheet.replaceSync('time, code { visibility: hidden !important }');
  document.adoptedStyleSheets.push(sheet);
}`;
