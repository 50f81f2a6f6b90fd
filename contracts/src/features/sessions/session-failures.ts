import { sentence } from '../../kernel/sentence.ts';

/**
 * Why a session could not continue. When credits run out, the refused reservation's sentence is
 * used.
 */

export const SessionTooLate = sentence(
  'session-too-late',
  () => 'The session took longer than an hour and was stopped.',
);
export const CreditsUsedUp = sentence(
  'credits-used-up',
  () => 'There were no credits left, or a spend limit was reached.',
);
export const BrowserLost = sentence(
  'browser-lost',
  () => 'The browser that ran this session was lost, and no other could take it up.',
);
export const BrowserCrashed = sentence('browser-lost_crashed', () => 'The browser crashed.');
export const PageCrashed = sentence('browser-lost_page', () => 'The page crashed again.');
export const PageTooLarge = sentence(
  'browser-lost_page-memory',
  (p: { megabytes: number }) => `The page used more than ${p.megabytes} MB of memory.`,
);
export const PagesTooLarge = sentence(
  'browser-lost_pages-memory',
  () => 'All open pages used too much memory together, and this one the most.',
);
export const BrowserNeverRan = sentence(
  'no-browser_none',
  () => 'No browser could be started for this session. Try again later.',
);
export const BrowserNotOpened = sentence(
  'no-browser_not-opened',
  () => 'No browser could be started for this session.',
);
export const BrowserFault = sentence(
  'browser-fault',
  () => 'Something went wrong with the browser of this session.',
);
export const StepNotPlannedInTime = sentence(
  'step-not-planned_late',
  () => 'No decision on the next step was made in time.',
);
export const StepNotPlanned = sentence(
  'step-not-planned',
  () => 'The next step could not be decided on.',
);
