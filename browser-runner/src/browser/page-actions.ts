import { cleanText } from '@tallyhand/agent-runtime/openai/clean-text';
import type { Locator, Page } from 'playwright';
import type { PageAction } from '../session-browser.ts';
import { type Done, done, failed, OUTPUT_MAX } from '../session-browser.ts';
import { type Opening, openPage } from './open-page.ts';
import { isSecretField, type Outline } from './outline.ts';
import type { PageTools } from './page-tools.ts';
import { MASK, type Secrets } from './secrets.ts';

const ELEMENT_MS_MAX = 3_000;
const BACK_MS_MAX = 15_000;
const SCROLL_BY = 640;
/** How long a page may be busy before nothing can be done on it. */
const ANSWER_MS_MAX = 5_000;
export const STUCK =
  'The page does not answer; a script may run without end. Open an address again.';
export const REF = /^(?:f\d+)?e\d+$/;

const POSITION = `(() => {
  const { scrollTop, scrollHeight, clientHeight } = document.scrollingElement ?? document.body;
  return Math.round((100 * (scrollTop + clientHeight)) / Math.max(1, scrollHeight));
})()`;

export type Acting = Opening & {
  /** The outline that the references are of. */
  outline: Outline | null;
  secrets: Secrets;
};

type On = { page: Page; tools: PageTools; acting: Acting };

/** Does one action. It rejects only when the page is gone or stuck, or the signal aborted. */
export async function perform(action: PageAction, acting: Acting): Promise<Done> {
  if (action.type === 'open') {
    return await openPage(action.url, acting);
  }
  const on = await usablePage(acting);
  if (typeof on === 'string') return failed(on);
  return await performOn(action, on.page, on.tools, acting);
}

/** The page that counts, or a sentence why nothing can be done on it. */
export async function usablePage({
  pages,
  answerMsMax = ANSWER_MS_MAX,
}: Pick<Opening, 'pages' | 'answerMsMax'>) {
  const page = pages.current();
  const tools = page && pages.tools(page);
  if (!page || !tools) return 'No page is open yet.';
  return (await tools.isResponsive(answerMsMax)) ? { page, tools } : STUCK;
}

async function performOn(
  action: Exclude<PageAction, { type: 'open' }>,
  page: Page,
  tools: PageTools,
  acting: Acting,
): Promise<Done> {
  const on = { page, tools, acting };
  switch (action.type) {
    case 'click':
      return await onElement(on, action.ref, async (element, name) => {
        const { signal } = acting;
        // Checks only whether the element is clickable: the click's effects may take as long as a
        // step.
        await element.click({ trial: true, timeout: ELEMENT_MS_MAX, signal });
        await element.click({ timeout: 0, signal });
        return done(`Clicked "${name}".`, name);
      });
    case 'type':
      return await onElement(on, action.ref, (element, name) => type(on, action, element, name));
    case 'select':
      return await onElement(on, action.ref, async (element, name) => {
        const options = { timeout: ELEMENT_MS_MAX, signal: acting.signal };
        await element.selectOption(action.option, options);
        return done(`Selected "${action.option}" in "${name}".`, name);
      });
    case 'scroll':
      await page.mouse.wheel(0, action.direction === 'down' ? SCROLL_BY : -SCROLL_BY);
      await tools.quiet(acting.signal);
      return done(
        `Scrolled ${action.direction}: seen to ${await tools.evaluate(POSITION, 2_000)}%.`,
      );
    case 'back':
      return await goBack(on);
    case 'extract':
      return done(await extractText(page, tools));
    case 'search':
      return done(await searchText(action.words, page, tools));
  }
}

async function onElement(
  { page, acting }: On,
  ref: string,
  work: (element: Locator, name: string) => Promise<Done>,
): Promise<Done> {
  const element = REF.test(ref) ? page.getByRef(ref) : null;
  if (element === null || (await element.count()) === 0) {
    return failed(`The element ${ref} is not on the page any more.`);
  }
  const name = acting.outline?.nameOf(ref) ?? ref;
  try {
    return await work(element, name);
  } catch (error) {
    return failed(`"${name}" ${whyNot(error)}`, name);
  }
}

async function type(
  { page, acting }: On,
  { ref, text, submit }: Extract<PageAction, { type: 'type' }>,
  element: Locator,
  name: string,
): Promise<Done> {
  const options = { timeout: ELEMENT_MS_MAX, signal: acting.signal };
  const isSecret = await isSecretField(page, ref);
  if (isSecret) acting.secrets.typed(text, { continues: false });
  try {
    await element.fill(text, options);
    if (submit) await element.press('Enter', options);
  } catch (error) {
    return { ...failed(`"${name}" ${whyNot(error)}`, name), isSecret };
  }
  const typed = `Typed "${isSecret ? MASK : text}" into "${name}"`;
  return { ...done(`${typed}${submit ? ' and pressed Enter' : ''}.`, name), isSecret };
}

/** From a window that was opened by another, back leads to that one. */
async function goBack({ page, tools, acting }: On): Promise<Done> {
  const client = await tools.cdp();
  const { currentIndex, entries } = await client.send('Page.getNavigationHistory');
  const earlier = entries[currentIndex - 1];
  if (earlier === undefined || earlier.url === 'about:blank') {
    if (!(await acting.pages.leave(page))) return failed('There is no page to go back to.');
  } else {
    const options = { timeout: BACK_MS_MAX, signal: acting.signal };
    await page.goBack({ waitUntil: 'commit', ...options });
    await page.waitForLoadState('domcontentloaded', options).catch(() => undefined);
  }
  const now = acting.pages.current();
  const title = now && (await acting.pages.tools(now)?.readTitle());
  return done(`Went back to "${title || now?.url()}".`);
}

const FAULTS: readonly (readonly [RegExp, string])[] = [
  [/intercepts pointer events/, 'is covered by something else on the page.'],
  [/not visible|outside of the viewport/, 'is not visible.'],
  [/not enabled|disabled/, 'is disabled.'],
  [/not editable|readonly/, 'can not be changed.'],
  [/did not find some options|option being selected/, 'has no such option.'],
  [/not a <select>/, 'is no list of options: click it instead.'],
  [/not an <input>|Cannot type text|Malformed value/, 'does not take this text.'],
  [/crashed/, 'made the page crash.'],
  [/closed/, 'closed its page.'],
];

function whyNot(error: unknown): string {
  const message = error instanceof Error ? error.message : '';
  return FAULTS.find(([pattern]) => pattern.test(message))?.[1] ?? 'did not react in time.';
}

const READ_MS_MAX = 8_000;
const FRAME_MS_MAX = 1_500;
const FRAMES_MAX = 5;
/** Maximum length of searched text. */
const TEXT_MAX = 500_000;
const PLACES_MAX = 20;
const AROUND = 120;

/** The visible part first, then the rest of the page. */
const VISIBLE_TEXT = `(() => {
  const all = document.body?.innerText ?? document.documentElement?.textContent ?? '';
  const main = document.querySelector('main, [role=main], article')?.innerText ?? '';
  const text = main.length < 200 ? all : main + '\\n\\n' + all.replace(main, '');
  return text.slice(0, ${TEXT_MAX});
})()`;

/** The page's visible text, that of its frames last. Rejects when the page is stuck. */
async function visibleText(page: Page, tools: PageTools): Promise<string> {
  const main = String(await tools.evaluate(VISIBLE_TEXT, READ_MS_MAX));
  const frames = page.frames().filter((frame) => frame !== page.mainFrame());
  const others = await Promise.all(
    frames.slice(0, FRAMES_MAX).map((frame) =>
      frame
        .locator('body')
        .innerText({ timeout: FRAME_MS_MAX })
        .catch(() => ''),
    ),
  );
  const text = [main, ...others].join('\n\n').slice(0, TEXT_MAX);
  return cleanText(withoutBlankLines(text), TEXT_MAX);
}

/** Line by line: one pattern for everything takes minutes on a page full of blanks. */
function withoutBlankLines(text: string): string {
  const lines = text.split('\n').map((line) => line.trimEnd());
  return lines.join('\n').replace(/\n{3,}/g, '\n\n');
}

/** The text for the planner, truncated to the maximum output. */
async function extractText(page: Page, tools: PageTools): Promise<string> {
  return cleanText(await visibleText(page, tools), OUTPUT_MAX - 1) || 'The page shows no text.';
}

/** The places of the words: together or, if they never are, each of them. */
async function searchText(words: string, page: Page, tools: PageTools): Promise<string> {
  const text = await visibleText(page, tools);
  const phrase = cleanText(words, 200);
  if (phrase === '') return 'There is nothing to search for.';
  const each = phrase.split(/\s+/).filter((word) => word.length > 2);
  const together = placesOf(text, phrase);
  const places = together.length > 0 ? together : each.flatMap((word) => placesOf(text, word));
  if (places.length === 0) return `"${phrase}" does not stand on this page.`;
  const shown = places.slice(0, PLACES_MAX).map((place) => `- ${place}`);
  const more = places.length > PLACES_MAX ? [`and ${places.length - PLACES_MAX} more places`] : [];
  const count = places.length === 1 ? '1 place' : `${places.length} places`;
  return [`Found at ${count}:`, ...shown, ...more].join('\n');
}

function placesOf(text: string, words: string): string[] {
  const places: string[] = [];
  const pattern = new RegExp(RegExp.escape(words).replace(/(?:\\x20|\s)+/g, '\\s+'), 'giu');
  for (const { index, 0: found } of text.matchAll(pattern)) {
    if (places.length > PLACES_MAX * 5) break;
    const end = index + found.length;
    const around = text.slice(Math.max(0, index - AROUND), end + AROUND);
    places.push(around.replace(/\s+/g, ' ').trim());
  }
  return places;
}
