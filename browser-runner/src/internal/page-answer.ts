import type { PageView } from '@tallyhand/agent-runtime/browsing/planner';
import { cutText } from '../loop/step-report.ts';

const TEXT_MAX = 12_000;
const ELEMENTS_MAX = 7_000;

const ELEMENT =
  /^\s*- '?(link|button|textbox|searchbox|combobox|checkbox|radio|switch|tab|menuitem|option|slider|spinbutton)\b(?: ("(?:[^"\\]|\\.)*"))?.*\[ref=((?:f\d+)?e\d+)\]/;
const REF = /^(?:f\d+)?e\d+$/;

type Element = { readonly role: string; readonly name: string; readonly ref: string };

/** Elements that can be clicked or typed into, in page order. */
function elementsIn(outline: string): Element[] {
  return outline.split('\n').flatMap((line) => {
    const [, role, quoted = '""', ref] = ELEMENT.exec(line) ?? [];
    return role && ref ? [{ role, name: unquoted(quoted), ref }] : [];
  });
}

/** The reference of an element, given as a reference or as its label. */
export function refOf(wanted: string, page: PageView | null): string | null {
  const plain = wanted.trim();
  if (REF.test(plain)) return plain;
  const name = plain.toLowerCase();
  const elements = elementsIn(page?.outline ?? '');
  const same = elements.find((element) => element.name.toLowerCase() === name);
  return (same ?? elements.find((element) => isPart(name, element)))?.ref ?? null;
}

const isPart = (name: string, element: Element) =>
  name !== '' && element.name.toLowerCase().includes(name);

/** A page for a model or a person: its address, its text, and the possible actions. */
export function pageAnswer(page: PageView, text: string): string {
  const elements = elementsIn(page.outline).map(
    ({ role, name, ref }) => `- ${role} "${name}" [ref=${ref}]`,
  );
  return [
    `${page.title}\n${page.url}`,
    ...page.notices,
    cutText(text, TEXT_MAX),
    ...(elements.length > 0 ? [`Elements:\n${cutText(elements.join('\n'), ELEMENTS_MAX)}`] : []),
  ].join('\n\n');
}

function unquoted(text: string): string {
  try {
    return String(JSON.parse(text));
  } catch {
    return text.slice(1, -1);
  }
}
