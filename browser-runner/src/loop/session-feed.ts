import type { LiveInput } from '@tallyhand/contracts/features/sessions/live.messages';
import type { StepReport } from '@tallyhand/contracts/features/sessions/runner.endpoints';
import type { SessionBrowser } from '../session-browser.ts';

/** Takes what the person who took over does; false where too much waits already. */
export type PersonInput = {
  readonly memberId: string;
  input(input: LiveInput): boolean;
};

/** Where the loop tells those who watch. */
export type SessionFeed = {
  /** The browser to be watched; null when it is closed. */
  show(browser: SessionBrowser | null): void;
  /** Who may steer it; null while no one may. */
  steer(person: PersonInput | null): void;
  /** A step was taken, and is stored. */
  acted(step: StepReport): void;
};
