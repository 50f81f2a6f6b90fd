import { cleanText } from '@tallyhand/agent-runtime/openai/clean-text';
import { OUTLINE_MAX } from '@tallyhand/contracts/features/sessions/browsing';
import type { Page } from 'playwright';
import { cleanName } from '../session-browser.ts';
import type { PageTools } from './page-tools.ts';
import { MASK } from './secrets.ts';

const SNAPSHOT_MS_MAX = 8_000;
/** More than a person ever sees of one page; elements beyond it have no references. */
const READ_MAX = 2_000_000;
const CUT = '\n- text: "(The rest of the page is left out: it is too long.)"';
/** With more a snapshot would keep the page busy longer than a caller waits. */
const ELEMENTS_MAX = 25_000;
const ELEMENTS = 'document.body ? document.getElementsByTagName("*").length : 0';
const TOO_MANY =
  '- text: "(The page has too many elements to be shown: read it, or search on it.)"';
/** Maximum number of fields that are checked for passwords. */
const FIELDS_MAX = 40;
/** The part of a line that identifies the element; its text may continue. */
const HEAD_MAX = 4_000;
const FIELD_MS_MAX = 1_000;

const REF = /\[ref=((?:f\d+)?e\d+)\]/;
const VALUE = /^(\s*- '?textbox\b.*?\[ref=(?:f\d+)?e\d+\][^:]*: )(.+)$/;
/** After the reference. Anchored at its start: pages fill lines with lookalikes. */
const TEXT = /^(?: \[[^\]]*\])*: "?([^"]+)"?$/;
const HEAD = /^\s*- '?([a-z]+)(?: ("(?:[^"\\]|\\.)*"))?/;

export type Outline = {
  text: string;
  /** The label of an element, by its reference. */
  nameOf(ref: string): string | null;
};

/**
 * The page's accessible outline, without the content of password fields. Rejects when the page is
 * stuck.
 */
export async function readOutline(
  page: Page,
  tools: PageTools,
  signal: AbortSignal,
): Promise<Outline> {
  // Images by themselves have none, and a snapshot would wait for it.
  const elements = Number(await tools.evaluate(ELEMENTS, SNAPSHOT_MS_MAX));
  if (elements === 0) return { text: '', nameOf: () => null };
  if (elements > ELEMENTS_MAX) return { text: TOO_MANY, nameOf: () => null };
  const whole = await page.ariaSnapshot({ mode: 'ai', timeout: SNAPSHOT_MS_MAX, signal });
  const lines = whole.slice(0, READ_MAX).split('\n');
  await maskPasswords(page, lines);
  const names = new Map(lines.flatMap(namedBy));
  return {
    text: cut(cleanText(lines.join('\n'), READ_MAX)),
    nameOf: (ref) => names.get(ref) ?? null,
  };
}

/** At the end of a line, so that it stays YAML. */
function cut(text: string): string {
  if (text.length <= OUTLINE_MAX) return text;
  const end = text.lastIndexOf('\n', OUTLINE_MAX - CUT.length);
  return text.slice(0, Math.max(0, end)) + CUT;
}

async function maskPasswords(page: Page, lines: string[]): Promise<void> {
  let looked = 0;
  for (const [at, line] of lines.entries()) {
    const [, before, value] = VALUE.exec(line.slice(0, HEAD_MAX)) ?? [];
    const ref = REF.exec(before ?? '')?.[1];
    if (before === undefined || value === undefined || ref === undefined) continue;
    looked += 1;
    const isSecret = looked > FIELDS_MAX || (await isSecretField(page, ref));
    if (isSecret) lines[at] = before + MASK;
  }
}

/** Whether the content of a field is sensitive. When in doubt it is. */
export async function isSecretField(page: Page, ref: string): Promise<boolean> {
  const field = page.getByRef(ref);
  const read = (name: string) => field.getAttribute(name, { timeout: FIELD_MS_MAX });
  try {
    const [type, autocomplete] = await Promise.all([read('type'), read('autocomplete')]);
    return (
      type?.toLowerCase() === 'password' ||
      /password|one-time-code|\bcc-/.test(autocomplete?.toLowerCase() ?? '')
    );
  } catch {
    return true;
  }
}

function namedBy(whole: string): [string, string][] {
  const line = whole.slice(0, HEAD_MAX);
  const found = REF.exec(line);
  if (found === null) return [];
  const [mark, ref = ''] = found;
  const [, role = '', quoted] = HEAD.exec(line) ?? [];
  const text = TEXT.exec(line.slice(found.index + mark.length))?.[1];
  return [[ref, cleanName(unquoted(quoted) ?? text ?? null) ?? role]];
}

function unquoted(text: string | undefined): string | undefined {
  if (text === undefined) return undefined;
  try {
    return String(JSON.parse(text));
  } catch {
    return text.slice(1, -1);
  }
}
