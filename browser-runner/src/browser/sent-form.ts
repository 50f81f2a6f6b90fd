import { cleanText } from '@tallyhand/agent-runtime/openai/clean-text';
import { orAborted } from '@tallyhand/agent-runtime/or-aborted';
import { APPROVAL_ARGUMENTS_MAX } from '@tallyhand/contracts/features/tasks/approvals.endpoints';
import type { PageAction, SentForm } from '../session-browser.ts';
import type { Opening } from './open-page.ts';
import type { Outline } from './outline.ts';
import { REF, usablePage } from './page-actions.ts';
import { type PageForm, readForm } from './read-form.ts';
import { MASK, type Secrets } from './secrets.ts';

const READ_MS_MAX = 3_000;
const HOST_MAX = 300;

type Looking = Pick<Opening, 'pages' | 'answerMsMax'> & {
  readonly outline: Outline | null;
  readonly secrets: Secrets;
};

/**
 * The form that the action would send, read without doing anything. Null if it would send none, or
 * could not be done at all; `unread` if the page does not say.
 */
export async function sentForm(
  action: PageAction,
  { outline, secrets, ...opening }: Looking,
): Promise<SentForm | null | 'unread'> {
  if (action.type !== 'click' && !(action.type === 'type' && action.submit)) return null;
  const on = await usablePage(opening);
  if (typeof on === 'string' || !REF.test(action.ref)) return null;
  const element = on.page.getByRef(action.ref);
  if ((await element.count()) === 0) return null;
  // A click happens there. Where it can't be scrolled to, the click fails as well.
  if (action.type === 'click') {
    await element.scrollIntoViewIfNeeded({ timeout: READ_MS_MAX }).catch(() => undefined);
  }
  const typed = action.type === 'type' ? action.text : null;
  const reading = element.evaluate(readForm, typed, { timeout: READ_MS_MAX });
  const form = await orAborted(reading, AbortSignal.timeout(READ_MS_MAX)).catch(
    () => 'unread' as const,
  );
  if (form === null || form === 'unread') return form;
  const name = outline?.nameOf(action.ref) ?? action.ref;
  return { name, host: hostOf(form), args: shown(form, secrets), print: printOf(form) };
}

/**
 * Many pages renew hidden tokens and times by themselves. No person saw these values, and a page that
 * wants to send something else can do so in any case.
 */
function printOf({ fields, ...form }: PageForm): string {
  const shownFields = fields.filter(({ isShown }) => isShown);
  const hidden = new Set(fields.filter(({ isShown }) => !isShown).map(({ name }) => name));
  return JSON.stringify({ ...form, fields: shownFields, hidden: [...hidden].sort() });
}

/** Where it goes; a page without a host has none. */
function hostOf({ address, page }: PageForm): string {
  const host = URL.parse(address)?.host || URL.parse(page)?.host || 'a page';
  return host.slice(0, HOST_MAX);
}

/** What a person sees of it. Hidden fields belong to the page, and passwords to nobody else. */
function shown({ page, address, method, button, fields }: PageForm, secrets: Secrets) {
  // What is longer is refused as a whole.
  const clean = (text: string) => cleanText(secrets.hide(text), APPROVAL_ARGUMENTS_MAX);
  const values = new Map<string, string[]>();
  for (const { name, value, isSecret } of fields.filter(({ isShown }) => isShown)) {
    const key = clean(name);
    values.set(key, [...(values.get(key) ?? []), isSecret && value !== '' ? MASK : clean(value)]);
  }
  return {
    page: clean(page),
    address: clean(address),
    method,
    button: clean(button),
    fields: Object.fromEntries(
      [...values].map(([name, [first = '', ...more]]) => [
        name,
        more.length > 0 ? [first, ...more] : first,
      ]),
    ),
  };
}
