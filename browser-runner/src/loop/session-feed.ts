import type { LiveInput } from '@tallyhand/contracts/features/sessions/live.messages';
import type { StepReport } from '@tallyhand/contracts/features/sessions/runner.endpoints';
import type { SessionBrowser } from '../session-browser.ts';

/** Accepts input of the member who took over; false if too much is waiting already. */
export type PersonInput = {
  readonly memberId: string;
  input(input: LiveInput): boolean;
};

/** The loop's output to viewers. */
export type SessionFeed = {
  /** The browser to be watched; null when it is closed. */
  show(browser: SessionBrowser | null): void;
  /** Who may steer it; null while no one may. */
  steer(person: PersonInput | null): void;
  /** A step was taken and stored. */
  acted(step: StepReport): void;
};
