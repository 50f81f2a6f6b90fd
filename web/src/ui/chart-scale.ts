const STEPS = [1, 2, 5, 10];

/** The round number at which the axis of a chart ends: 1, 2 or 5 times a power of ten. */
export function axisMax(values: readonly number[]): number {
  const largest = values.reduce((max, value) => Math.max(max, value), 1);
  const power = 10 ** Math.floor(Math.log10(largest));
  const step = STEPS.find((it) => it * power >= largest) ?? 10;
  return step * power;
}

/** The share of the axis that a value fills, 0 to 100. Bars begin at 0, so nothing is below it. */
export const percentOfAxis = (value: number, max: number): number =>
  Math.max(0, Math.min(100, (value / max) * 100));
