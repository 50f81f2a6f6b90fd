export type SerialQueue = {
  readonly waiting: number;
  /** Resolves when the job is done, or has failed. */
  add(job: () => Promise<void>): Promise<void>;
};

/** Jobs one after the other; what fails is told, and the next one runs all the same. */
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
