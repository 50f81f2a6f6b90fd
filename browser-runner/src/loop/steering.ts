import type { LiveControl, LiveInput } from '@tallyhand/contracts/features/sessions/live.messages';
import type { StepReport } from '@tallyhand/contracts/features/sessions/runner.endpoints';
import type { SessionBrowser } from '../session-browser.ts';

/** Who steers a session's browser: the agent, a member, or no one any more. */
export type Steering = {
  readonly control: 'agent' | 'person' | 'ended';
  readonly personId: string | null;
};

export type SteeringWheel = {
  current(): Steering;
  change(next: Steering): void;
  /** Aborted as soon as it is not the agent's turn any more; new for each of its turns. */
  agentTurn(): AbortSignal;
  /** Aborted at the end. */
  readonly ended: AbortSignal;
  /** Resolves when control changes. */
  changed(): Promise<void>;
  /** Called at once at each change; returns a function that stops it. */
  listen(listener: () => void): () => void;
};

export function steeringWheel(control: LiveControl): SteeringWheel {
  let current: Steering = { control: control.by, personId: control.personId };
  let turn = new AbortController();
  const end = new AbortController();
  const listeners = new Set<() => void>();
  const isSame = (next: Steering) =>
    next.control === current.control && next.personId === current.personId;

  return {
    current: () => current,
    ended: end.signal,
    agentTurn: () => turn.signal,
    change(next) {
      // No one steers after the end.
      if (current.control === 'ended' || isSame(next)) return;
      current = next;
      if (next.control === 'agent') turn = new AbortController();
      else turn.abort();
      if (next.control === 'ended') end.abort();
      for (const listener of [...listeners]) listener();
    },
    changed: () =>
      new Promise((resolve) => {
        const once = () => {
          listeners.delete(once);
          resolve();
        };
        listeners.add(once);
      }),
    listen(listener) {
      listeners.add(listener);
      return () => listeners.delete(listener);
    },
  };
}

/** As sent to viewers. */
export const liveControl = ({ control, personId }: Steering): LiveControl =>
  control === 'person' ? { by: 'person', personId } : { by: 'agent', personId: null };

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
