import { sentence } from '../../kernel/sentence.ts';

/**
 * Why a session could not continue. When credits run out, the refused reservation's sentence is
 * used.
 */

export const SessionTooLate = sentence(
  'session-too-late',
  () => 'The session was stopped after one hour.',
);
export const CreditsUsedUp = sentence(
  'credits-used-up',
  () => 'The credits ran out, or a spend limit was reached.',
);
export const BrowserLost = sentence(
  'browser-lost',
  () => "The browser stopped responding, and the session couldn't be resumed.",
);
export const BrowserCrashed = sentence('browser-lost_crashed', () => 'The browser crashed.');
export const PageCrashed = sentence('browser-lost_page', () => 'The page crashed again.');
export const PageTooLarge = sentence(
  'browser-lost_page-memory',
  (p: { megabytes: number }) => `The page used more than ${p.megabytes} MB of memory.`,
);
export const PagesTooLarge = sentence(
  'browser-lost_pages-memory',
  () => 'The open pages used too much memory together, this one the most.',
);
export const BrowserNeverRan = sentence(
  'no-browser_none',
  () => "Couldn't start a browser for this session. Try again later.",
);
export const BrowserNotOpened = sentence(
  'no-browser_not-opened',
  () => "Couldn't start a browser for this session.",
);
export const BrowserFault = sentence(
  'browser-fault',
  () => "Something went wrong with the session's browser.",
);
export const StepNotPlannedInTime = sentence(
  'step-not-planned_late',
  () => "The agent didn't decide on the next step in time.",
);
export const StepNotPlanned = sentence(
  'step-not-planned',
  () => "The agent couldn't decide on the next step.",
);
