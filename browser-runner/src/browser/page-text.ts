import { cleanText } from '@tallyhand/agent-runtime/openai/clean-text';
import type { Page } from 'playwright';
import { OUTPUT_MAX } from './outcome.ts';
import type { PageTools } from './page-tools.ts';

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
export async function extractText(page: Page, tools: PageTools): Promise<string> {
  return cleanText(await visibleText(page, tools), OUTPUT_MAX - 1) || 'The page shows no text.';
}

/** The places of the words: together or, if they never are, each of them. */
export async function searchText(words: string, page: Page, tools: PageTools): Promise<string> {
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
