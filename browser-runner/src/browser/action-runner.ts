import { orAborted } from '@tallyhand/agent-runtime/or-aborted';
import type { LiveInput } from '@tallyhand/contracts/features/sessions/live.messages';
import type { ActionResult, PageAction } from '../session-browser.ts';
import { failed } from './outcome.ts';
import type { Outline } from './outline.ts';
import type { Acting } from './page-actions.ts';

type Kind = PageAction['type'] | LiveInput['kind'];
type What = { kind: Kind; isPerson: boolean };
type Work = (acting: Acting) => Promise<ActionResult>;

/** After these actions a new window may be expected. */
const FOLLOWED = new Set<Kind>(['click', 'type', 'select', 'text', 'key']);
/** These change nothing that one would have to wait for, or are one of many. */
const WITHOUT_PAUSE = new Set<Kind>(['extract', 'search', 'text', 'scroll']);
/** Input of a member, who sees the result and must not be held up. */
const PERSON_MS_MAX = 1_000;

/**
 * Runs actions one after the other. Each ends in time whatever the page does, and waits until the
 * page is quiet; an action whose signal is aborted rejects at once.
 */
export function actionRunner(
  acting: Omit<Acting, 'outline' | 'signal'>,
  options: { actionMsMax: number; closing: AbortSignal; outline: () => Outline | null },
) {
  const { pages } = acting;
  let last: Promise<unknown> = Promise.resolve();

  const settle = async (work: Work, { kind, isPerson }: What, signal: AbortSignal) => {
    const page = pages.current();
    pages.actionBegins(FOLLOWED.has(kind));
    if (page !== null) pages.tools(page)?.forgetPending();
    const told = await work({ ...acting, outline: options.outline(), signal });
    const result = { ...told, output: acting.secrets.hide(told.output) };
    if (WITHOUT_PAUSE.has(kind) || !result.success) return result;
    const msMax = isPerson ? PERSON_MS_MAX : undefined;
    const before = pages.current();
    if (before !== null) await pages.tools(before)?.quiet(signal, msMax);
    const after = pages.current();
    if (after !== null && after !== before) await pages.tools(after)?.quiet(signal, msMax);
    if (after !== null) await pages.tools(after)?.readTitle();
    return result;
  };
  const bounded = async (work: Work, what: What, given: AbortSignal): Promise<ActionResult> => {
    given.throwIfAborted();
    const late = AbortSignal.timeout(options.actionMsMax);
    const signal = AbortSignal.any([given, options.closing, late]);
    try {
      return await orAborted(settle(work, what, signal), signal);
    } catch {
      given.throwIfAborted();
      if (late.aborted) return failed('This took too long and was stopped.');
      return failed('The page was gone before this was done.');
    }
  };

  return (work: Work, what: What, signal: AbortSignal) => {
    const next = last.then(() => bounded(work, what, signal));
    last = next.catch(() => undefined);
    return orAborted(next, signal);
  };
}
