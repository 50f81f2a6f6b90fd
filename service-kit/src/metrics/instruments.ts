import type { Metric, Sample } from './text-format.ts';

/** More label sets than this are not stored: labels are fixed names, never text from callers. */
export const SERIES_MAX = 2_000;

export type Labels = Readonly<Record<string, string>>;

/** What this process measures, by name: declared beside what is measured. */
const declared = new Map<string, () => Metric>();

/** Makes a figure part of what the process tells at /metrics; `read` is asked each time. */
export function declareMetric(name: string, read: () => Metric): void {
  if (declared.has(name)) throw new Error(`${name} is declared twice`);
  declared.set(name, read);
}

/**
 * All that was declared in this process, of every service in it, as its memory is: one machine runs
 * them all in one.
 */
export const instrumentMetrics = (): Metric[] => [...declared.values()].map((read) => read());

/** A figure that is looked up when it is asked for. */
export function gauge(options: {
  readonly name: string;
  readonly help: string;
  readonly read: () => readonly Sample[];
}): void {
  const { name, help, read } = options;
  declareMetric(name, () => ({ name, help, samples: read(), type: 'gauge' }));
}
