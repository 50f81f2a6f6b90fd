import type { Load } from './load.ts';

/** A line of the table of measurements. `bar`: what is enough, and what is aimed for. */
export type Row = { readonly what: string; readonly figure: string; readonly bar: string };

export const row = (what: string, figure: string, bar = ''): Row => ({ what, figure, bar });

/** Three digits. */
export const short = (value: number) => value.toLocaleString('en', { maximumSignificantDigits: 3 });

/** A line with a figure of each run. */
export const rowOfEach = <T>(
  what: string,
  runs: readonly T[],
  of: (one: T) => number,
  unit = '',
): Row => row(what, `${runs.map((one) => short(of(one))).join('; ')} ${unit}`.trim());

export const ms = (value: number) => `${value.toFixed(1)} ms`;

export const times = ({ p50Ms, p99Ms }: Load) => `${ms(p50Ms)}, ${ms(p99Ms)}`;

export const ratio = (a: number, b: number, digits = 3) => (a / b).toFixed(digits);

export function tableOf(rows: readonly Row[]): string {
  const line = ({ what, figure, bar }: Row) => `| ${what} | ${figure} | ${bar} |`;
  return ['| what | figure | pass; stretch |', '|---|---|---|', ...rows.map(line)].join('\n');
}
