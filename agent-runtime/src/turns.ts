/** The place of running work. While it is suspended, other work runs in its place. */
export type Place = {
  suspend(): void;
  /** Waits for a place again; rejects when the caller aborts or the work ends meanwhile. */
  resume(): Promise<void>;
};

/** A queue that gives organizations their turns. */
export type Turns = {
  /**
   * Runs the work when it is its turn. Rejects when the queue is full, if the work may be refused,
   * and when the signal aborts before the work has begun.
   */
  run<T>(
    organizationId: string,
    work: (place: Place) => Promise<T>,
    options: { signal: AbortSignal; isRefusable?: boolean },
  ): Promise<T>;
};
