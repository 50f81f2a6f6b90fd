import type { LiveControl, LiveInput } from '@tallyhand/contracts/features/sessions/live.messages';
import type { StepReport } from '@tallyhand/contracts/features/sessions/runner.endpoints';
import type { SessionBrowser } from '../session-browser.ts';

/** Who controls a session's browser: the agent, a member, or neither after its end. */
export type Control = {
  readonly control: 'agent' | 'person' | 'ended';
  readonly personId: string | null;
};

/** The control of one session, which the loop follows and members change. */
export class ControlState {
  #current: Control;
  #turn = new AbortController();
  readonly #end = new AbortController();
  readonly #listeners = new Set<() => void>();

  constructor({ by, personId }: LiveControl) {
    this.#current = { control: by, personId };
  }

  get current(): Control {
    return this.#current;
  }

  /** Aborted when the agent's turn is over; a new signal for each turn. */
  get agentTurn(): AbortSignal {
    return this.#turn.signal;
  }

  /** Aborted at the end. */
  get ended(): AbortSignal {
    return this.#end.signal;
  }

  change(next: Control): void {
    const { control, personId } = this.#current;
    // Control does not change after the end.
    if (control === 'ended' || (next.control === control && next.personId === personId)) return;
    this.#current = next;
    if (next.control === 'agent') this.#turn = new AbortController();
    else this.#turn.abort();
    if (next.control === 'ended') this.#end.abort();
    for (const listener of [...this.#listeners]) listener();
  }

  /** Resolves when control changes. */
  changed(): Promise<void> {
    return new Promise((resolve) => {
      const stop = this.listen(() => {
        stop();
        resolve();
      });
    });
  }

  /** Calls the listener immediately at each change, until the returned function is called. */
  listen(listener: () => void): () => void {
    this.#listeners.add(listener);
    return () => this.#listeners.delete(listener);
  }
}

/** As sent to viewers. */
export const liveControl = ({ control, personId }: Control): LiveControl =>
  control === 'person' ? { by: 'person', personId } : { by: 'agent', personId: null };

/** Accepts input of the member in control; false if too much is waiting. */
export type PersonInput = {
  readonly memberId: string;
  input(input: LiveInput): boolean;
};

/** The loop's output to viewers. */
export type SessionFeed = {
  /** The browser to watch; null when it is closed. */
  show(browser: SessionBrowser | null): void;
  /** The member in control; null while there is none. */
  steer(person: PersonInput | null): void;
  /** A step was taken and stored. */
  acted(step: StepReport): void;
};
