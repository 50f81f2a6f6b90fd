import { useParentSize } from '@visx/responsive';
import { scaleBand, scaleLinear } from '@visx/scale';
import { BarRounded } from '@visx/shape';
import { useState } from 'react';

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

const heights = { sm: 80, md: 160 };
/** About so many steps of the axis decide what is round. */
const TICKS = 2;
const COLUMN_WIDTH_MAX = 32;
const CORNER = 2;

/** Columns from a baseline of zero, for values in the order of time. A table belongs beside it. */
export function ColumnChart({ summary, columns, format, onPoint, size = 'md' }: ColumnChartProps) {
  const [pointed, setPointed] = useState<string>();
  const { parentRef, width } = useParentSize({ debounceTime: 0, ignoreDimensions: ['height'] });
  const height = heights[size];
  const keys = columns.map(({ key }) => key);
  const x = scaleBand({ domain: keys, range: [0, width], paddingInner: 0.15 });
  const y = scaleLinear({ domain: axisOf(columns.map(({ value }) => value)), range: [height, 0] });
  const barWidth = Math.min(COLUMN_WIDTH_MAX, x.bandwidth());
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
      <div className="flex flex-col justify-between text-right text-xs text-muted tabular">
        <span className="-translate-y-1/2">{format(y.domain()[1] ?? 0)}</span>
        <span className="translate-y-1/2">{format(0)}</span>
      </div>
      <div
        ref={parentRef}
        className="min-w-0 border-t border-b border-t-line border-b-border"
        style={{ height }}
      >
        <svg aria-hidden width={width} height={height} className="block">
          {columns.map((column) => {
            const left = x(column.key) ?? 0;
            const top = y(column.value);
            return (
              <g key={column.key} onPointerEnter={() => point(column)}>
                {/* The whole height takes the pointer, since low columns are hard to hit. */}
                <rect x={left} width={x.step()} height={height} fill="transparent" />
                <BarRounded
                  x={left + (x.bandwidth() - barWidth) / 2}
                  y={top}
                  width={barWidth}
                  height={height - top}
                  radius={Math.min(CORNER, height - top)}
                  top
                  className={
                    pointed === undefined || pointed === column.key
                      ? 'fill-chart-1'
                      : 'fill-chart-1/50'
                  }
                />
              </g>
            );
          })}
        </svg>
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

/** `figure`: the value as it is read. */
type Bar = { key: string; label: string; value: number; figure: string };

/** Bars from zero, each with name and figure. The longest fills the width. */
export function BarList({ label, bars }: { label: string; bars: readonly Bar[] }) {
  const max = bars.reduce((most, { value }) => Math.max(most, value), 1);
  return (
    <ul aria-label={label} className="flex flex-col gap-3">
      {bars.map(({ key, label: name, value, figure }) => (
        <li key={key}>
          <div className="flex justify-between gap-3">
            <span className="min-w-0 truncate" title={name}>
              {name}
            </span>
            <span className="tabular shrink-0">{figure}</span>
          </div>
          <div aria-hidden className="mt-1 h-2 rounded-sm bg-sunken">
            <div
              className="h-full rounded-sm bg-chart-1"
              style={{ width: `${(value / max) * 100}%` }}
            />
          </div>
        </li>
      ))}
    </ul>
  );
}

/** From zero to a round number that holds every value. */
export function axisOf(values: readonly number[]): [number, number] {
  const largest = Math.max(1, ...values);
  const [start = 0, end = largest] = scaleLinear({ domain: [0, largest], nice: TICKS }).domain();
  return [start, end];
}
