import type { Metric, Sample } from './text-format.ts';

/** More label sets than this are not stored: labels are fixed names, never text from callers. */
export const SERIES_MAX = 2_000;

export type Labels = Readonly<Record<string, string>>;

/** The metrics of this process, by name: declared beside what they measure. */
const declared = new Map<string, () => Metric>();

/** Adds a metric to /metrics; `read` is called at each scrape. */
export function declareMetric(name: string, read: () => Metric): void {
  if (declared.has(name)) throw new Error(`${name} is declared twice`);
  declared.set(name, read);
}

/**
 * All that was declared in this process, of every service in it, as its memory is: one machine runs
 * them all in one.
 */
export const instrumentMetrics = (): Metric[] => [...declared.values()].map((read) => read());

/** A metric that is computed at each scrape. */
export function gauge(options: {
  readonly name: string;
  readonly help: string;
  readonly read: () => readonly Sample[];
}): void {
  const { name, help, read } = options;
  declareMetric(name, () => ({ name, help, samples: read(), type: 'gauge' }));
}
