export type SerialQueue = {
  readonly waiting: number;
  /** Resolves when the job is done, or has failed. */
  add(job: () => Promise<void>): Promise<void>;
};

/** Runs jobs one after the other; a failure is reported, and the next one runs. */
export function serialQueue(onFailure: (error: unknown) => Promise<void>): SerialQueue {
  let last = Promise.resolve();
  let waiting = 0;
  return {
    get waiting() {
      return waiting;
    },
    add(job) {
      waiting += 1;
      last = last
        .then(job)
        .catch(onFailure)
        .finally(() => {
          waiting -= 1;
        });
      return last;
    },
  };
}
