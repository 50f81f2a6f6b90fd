/** What a number of callers saw: how many calls a second, and how long one took. */
export type Load = {
  readonly perSecond: number;
  readonly p50Ms: number;
  readonly p99Ms: number;
};

/** Makes `calls` calls by `clients` callers at once, each waiting for its answer before the next. */
export async function load(
  clients: number,
  calls: number,
  call: (index: number) => Promise<void>,
): Promise<Load> {
  const times: number[] = [];
  let next = 0;
  const began = performance.now();
  const client = async () => {
    while (next < calls) {
      const index = next;
      next += 1;
      const started = performance.now();
      await call(index);
      times.push(performance.now() - started);
    }
  };
  await Promise.all(Array.from({ length: clients }, client));
  const seconds = (performance.now() - began) / 1000;
  times.sort((a, b) => a - b);
  const at = (share: number) => times[Math.min(times.length - 1, Math.floor(times.length * share))];
  return { perSecond: calls / seconds, p50Ms: at(0.5) ?? 0, p99Ms: at(0.99) ?? 0 };
}
