import { percentOfAxis } from './chart-scale.ts';

export type Bar = { key: string; label: string; value: number };

/** Bars from zero, each with its name and its figure, the longest as long as there is room. */
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
