import { useState } from 'react';
import { cx } from './cx.ts';

export type ColumnValue = { key: string; label: string; value: number };

type ColumnChartProps = {
  /** The chart in a sentence, for screen readers. */
  summary: string;
  columns: readonly ColumnValue[];
  format: (value: number) => string;
  size?: keyof typeof heights;
  /** Called with the column under the pointer, or undefined when it leaves. */
  onPoint: (column: ColumnValue | undefined) => void;
};

const heights = { sm: 'h-20', md: 'h-40' };

/** Columns from a baseline of zero, for values in the order of time. A table belongs beside it. */
export function ColumnChart({ summary, columns, format, onPoint, size = 'md' }: ColumnChartProps) {
  const [pointed, setPointed] = useState<string>();
  const max = axisMax(columns.map(({ value }) => value));
  const point = (column: ColumnValue | undefined) => {
    setPointed(column?.key);
    onPoint(column);
  };
  return (
    <div
      role="img"
      aria-label={summary}
      onPointerLeave={() => point(undefined)}
      className="grid grid-cols-[auto_minmax(0,1fr)] gap-x-2 gap-y-1 pt-4"
    >
      <div
        className={cx(
          'flex flex-col justify-between text-right text-xs text-muted tabular',
          heights[size],
        )}
      >
        <span className="-translate-y-1/2">{format(max)}</span>
        <span className="translate-y-1/2">{format(0)}</span>
      </div>
      <div
        className={cx(
          'flex min-w-0 items-stretch gap-px border-t border-b border-t-line border-b-border sm:gap-1',
          heights[size],
        )}
      >
        {columns.map((column) => (
          <div
            key={column.key}
            onPointerEnter={() => point(column)}
            className="flex min-w-0 flex-1 items-end justify-center"
          >
            <div
              className={cx(
                'w-full max-w-8 rounded-t-sm',
                pointed === undefined || pointed === column.key ? 'bg-chart-1' : 'bg-chart-1/50',
              )}
              style={{ height: `${percentOfAxis(column.value, max)}%` }}
            />
          </div>
        ))}
      </div>
      <Ends columns={columns} />
    </div>
  );
}

/** The first, the middle and the last label: more would not fit on a phone. */
function Ends({ columns }: { columns: readonly ColumnValue[] }) {
  return (
    <div className="col-start-2 flex justify-between text-xs text-muted">
      <span>{columns[0]?.label}</span>
      <span>{columns[Math.floor(columns.length / 2)]?.label}</span>
      <span>{columns.at(-1)?.label}</span>
    </div>
  );
}

type Bar = { key: string; label: string; value: number };

/** Bars from zero, each with name and figure. The longest fills the width. */
export function BarList({
  label,
  bars,
  format,
}: {
  label: string;
  bars: readonly Bar[];
  format: (value: number) => string;
}) {
  const max = bars.reduce((most, { value }) => Math.max(most, value), 1);
  return (
    <ul aria-label={label} className="flex flex-col gap-3">
      {bars.map(({ key, label: name, value }) => (
        <li key={key}>
          <div className="flex justify-between gap-3">
            <span className="min-w-0 truncate" title={name}>
              {name}
            </span>
            <span className="tabular">{format(value)}</span>
          </div>
          <div aria-hidden className="mt-1 h-2 rounded-sm bg-sunken">
            <div
              className="h-full rounded-sm bg-chart-1"
              style={{ width: `${percentOfAxis(value, max)}%` }}
            />
          </div>
        </li>
      ))}
    </ul>
  );
}

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
