import { declareMetric, type Labels, SERIES_MAX } from './instruments.ts';

type Options = {
  readonly name: string;
  readonly help: string;
  /** Starts with 0, because a rate does not see the first increment of a new series. */
  readonly known?: readonly Labels[];
};

type Sum = {
  add(labels: Labels, more?: number): void;
};

/** A counter by label sets. */
export const counter = (options: Options): Sum => sum('counter', options);

/** A gauge by label sets: each increment must be matched by a decrement. */
export const level = (options: Options): Sum => sum('gauge', options);

function sum(type: 'counter' | 'gauge', { name, help, known = [] }: Options): Sum {
  const series = new Map<string, { readonly labels: Labels; value: number }>();
  const add = (labels: Labels, more = 1) => {
    const key = JSON.stringify(labels);
    const one = series.get(key);
    if (one) one.value += more;
    else if (series.size < SERIES_MAX) series.set(key, { labels, value: more });
  };
  for (const labels of known) add(labels, 0);
  declareMetric(name, () => ({ name, help, type, samples: [...series.values()] }));
  return { add };
}
