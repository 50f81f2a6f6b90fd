/** What a number of callers saw: how many calls a second, and how long one took. */
export type Load = {
  readonly calls: number;
  readonly perSecond: number;
  readonly p50Ms: number;
  readonly p99Ms: number;
};

/** Makes `calls` calls by `clients` callers at once, each waiting for its answer before the next. */
export function load(
  clients: number,
  calls: number,
  call: (index: number) => Promise<void>,
): Promise<Load> {
  return loadWhile(clients, (begun) => begun < calls, call);
}

/** The same for a time: no call is begun later than `forMs` after the first. */
export function loadFor(
  clients: number,
  forMs: number,
  call: (index: number, client: number) => Promise<void>,
): Promise<Load> {
  const end = performance.now() + forMs;
  return loadWhile(clients, () => performance.now() < end, call);
}

async function loadWhile(
  clients: number,
  goesOn: (begun: number) => boolean,
  call: (index: number, client: number) => Promise<void>,
): Promise<Load> {
  const took: number[] = [];
  let begun = 0;
  const began = performance.now();
  const client = async (number: number) => {
    while (goesOn(begun)) {
      const index = begun;
      begun += 1;
      const started = performance.now();
      await call(index, number);
      took.push(performance.now() - started);
    }
  };
  await Promise.all(Array.from({ length: clients }, (_, number) => client(number)));
  const seconds = (performance.now() - began) / 1000;
  return {
    calls: took.length,
    perSecond: took.length / seconds,
    p50Ms: percentile(took, 0.5),
    p99Ms: percentile(took, 0.99),
  };
}

const TICK_MS = 1;

/**
 * Begins calls at a steady rate, whether or not earlier ones have been answered. A call's time counts
 * from when it was due, so that a stall is everybody's whose turn came in it.
 */
export async function openLoop(
  perSecond: number,
  calls: number,
  call: (index: number) => Promise<void>,
): Promise<Load> {
  const took: number[] = [];
  const under: Promise<void>[] = [];
  const began = performance.now();
  for (let index = 0; index < calls; index += 1) {
    const due = began + (index * 1000) / perSecond;
    while (performance.now() < due) await new Promise((resolve) => setTimeout(resolve, TICK_MS));
    under.push(call(index).then(() => void took.push(performance.now() - due)));
  }
  await Promise.all(under);
  const seconds = (performance.now() - began) / 1000;
  return {
    calls: took.length,
    perSecond: took.length / seconds,
    p50Ms: percentile(took, 0.5),
    p99Ms: percentile(took, 0.99),
  };
}

/** The value that `share` of the values are below; 0 where there are none. */
export function percentile(values: readonly number[], share: number): number {
  const sorted = values.toSorted((a, b) => a - b);
  return sorted[Math.min(sorted.length - 1, Math.floor(sorted.length * share))] ?? 0;
}
