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

/** One figure, or one for each set of labels. */
export type Sample = {
  readonly labels?: Readonly<Record<string, string>>;
  readonly value: number;
  /** The suffixes of a histogram's samples. */
  readonly suffix?: '_bucket' | '_sum' | '_count';
};

export type Metric = {
  readonly name: string;
  readonly help: string;
  readonly type: 'counter' | 'gauge' | 'histogram';
  readonly samples: readonly Sample[];
};

/** Media type and version of the output of `metricsText`. */
export const METRICS_TYPE = 'text/plain; version=0.0.4; charset=utf-8';

/** Figures in Prometheus' text format. */
export function metricsText(metrics: readonly Metric[]): string {
  const lines = metrics.flatMap(({ name, help, type, samples }) => [
    `# HELP ${name} ${escapeText(help)}`,
    `# TYPE ${name} ${type}`,
    ...samples.map(
      ({ labels = {}, value, suffix = '' }) => `${name}${suffix}${labelsText(labels)} ${value}`,
    ),
  ]);
  return lines.map((line) => `${line}\n`).join('');
}

function labelsText(labels: Readonly<Record<string, string>>): string {
  const pairs = Object.entries(labels).map(
    ([name, value]) => `${name}="${escapeText(value).replaceAll('"', '\\"')}"`,
  );
  return pairs.length > 0 ? `{${pairs.join(',')}}` : '';
}

const escapeText = (text: string) => text.replaceAll('\\', '\\\\').replaceAll('\n', '\\n');
