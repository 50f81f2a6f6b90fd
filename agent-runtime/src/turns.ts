import type { Refusal } from '@tallyhand/contracts/kernel/refusal';

/** The place of running work. While it is suspended, other work runs in its place. */
export type Place = {
  suspend(): void;
  /** Waits for a place again; rejects when the caller aborts or the work ends meanwhile. */
  resume(): Promise<void>;
};

/**
 * Runs work when it is its organization's turn. Rejects when the signal aborts before the work has
 * begun.
 */
export type RunInTurn<Otherwise> = <T>(
  organizationId: string,
  work: (place: Place) => Promise<T>,
  options: { signal: AbortSignal },
) => Promise<T | Otherwise>;

/** A queue that gives organizations their turns. */
export type Turns = {
  /** For work whose amount the caller bounds: it waits however long the queue is. */
  run: RunInTurn<never>;
  /** Refuses the work when the queue is full. */
  tryRun: RunInTurn<Refusal>;
};
