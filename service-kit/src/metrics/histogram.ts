import { declareMetric, type Labels, type Sample, SERIES_MAX } from './instruments.ts';

type Series = { readonly labels: Labels; readonly counts: number[]; count: number; sum: number };

export type Histogram = {
  observe(labels: Labels, value: number): void;
};

/** Counts values by upper bounds, which ascend. */
export function histogram(options: {
  readonly name: string;
  readonly help: string;
  readonly bounds: readonly number[];
}): Histogram {
  const { name, help, bounds } = options;
  const kept = new Map<string, Series>();

  function seriesOf(labels: Labels): Series | undefined {
    const key = JSON.stringify(labels);
    const known = kept.get(key);
    if (known || kept.size >= SERIES_MAX) return known;
    const series = { labels, counts: bounds.map(() => 0), count: 0, sum: 0 };
    kept.set(key, series);
    return series;
  }

  declareMetric(name, () => ({
    name,
    help,
    type: 'histogram',
    samples: [...kept.values()].flatMap((series) => samplesOf(series, bounds)),
  }));
  return {
    observe(labels, value) {
      const series = seriesOf(labels);
      if (!series) return;
      const bound = bounds.findIndex((upper) => value <= upper);
      if (bound >= 0) series.counts[bound] = (series.counts[bound] ?? 0) + 1;
      series.count += 1;
      series.sum += value;
    },
  };
}

/** Each bucket includes the previous ones. */
function samplesOf({ labels, counts, count, sum }: Series, bounds: readonly number[]): Sample[] {
  let below = 0;
  const buckets = bounds.map((bound, index): Sample => {
    below += counts[index] ?? 0;
    return { suffix: '_bucket', labels: { ...labels, le: String(bound) }, value: below };
  });
  return [
    ...buckets,
    { suffix: '_bucket', labels: { ...labels, le: '+Inf' }, value: count },
    { suffix: '_sum', labels, value: sum },
    { suffix: '_count', labels, value: count },
  ];
}
