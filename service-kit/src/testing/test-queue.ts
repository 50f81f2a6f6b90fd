import { FairQueue, type FairQueueLimits, type Place } from '../fair-queue.ts';
import { instrumentMetrics, metricsText } from '../metrics/instruments.ts';

export const LIMITS: FairQueueLimits = {
  concurrency: 2,
  concurrencyPerOrganization: 1,
  waitingMax: 100,
  waitingPerOrganizationMax: 50,
};

export const figuresOf = (queue: string) =>
  metricsText(instrumentMetrics()).match(new RegExp(`^.*queue="${queue}".*$`, 'gm'));
export const settled = () => new Promise((resolve) => setImmediate(resolve));

export type Piece = {
  readonly organization: string;
  readonly number: number;
  readonly end: () => void;
  readonly abort: () => void;
  readonly result: Promise<unknown>;
  place: Place | null;
};

/** A queue whose work the test ends. */
export class TestQueue {
  readonly queue: FairQueue;
  readonly started: Piece[] = [];
  readonly running = new Set<Piece>();
  #number = 0;

  constructor(limits: Partial<FairQueueLimits> = {}, name = 'test') {
    this.queue = new FairQueue(name, { ...LIMITS, ...limits });
  }

  add(organization: string): Piece {
    const ended = Promise.withResolvers<void>();
    const caller = new AbortController();
    this.#number += 1;
    const result = this.queue.tryRun(
      organization,
      async (place) => {
        piece.place = place;
        this.started.push(piece);
        this.running.add(piece);
        await ended.promise;
        this.running.delete(piece);
      },
      { signal: caller.signal },
    );
    const piece: Piece = {
      organization,
      number: this.#number,
      end: ended.resolve,
      abort: () => caller.abort(new Error('aborted')),
      result: result.then(
        (full) => full ?? 'ended',
        (error) => error,
      ),
      place: null,
    };
    return piece;
  }

  addMany(organization: string, count: number): Piece[] {
    return Array.from({ length: count }, () => this.add(organization));
  }

  async order(): Promise<string> {
    await settled();
    return this.started.map(({ organization }) => organization).join('');
  }

  /** Ends running work until nothing is left. */
  async drain(): Promise<string> {
    for (await settled(); this.running.size > 0; await settled()) {
      for (const piece of this.running) piece.end();
    }
    return this.order();
  }
}
