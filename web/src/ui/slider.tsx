import { type CSSProperties, useEffect, useId, useState } from 'react';

/** Half the thumb: its middle is this far within at either end of the track. */
const INSET = '10px';

/** A choice along a line, from 0 to `max`. `valueText` is the value in words. */
export function Slider({
  label,
  max,
  value,
  valueText,
  onChange,
}: {
  label: string;
  max: number;
  value: number;
  valueText: string;
  onChange: (value: number) => void;
}) {
  const id = useId();
  const share = max === 0 ? 1 : value / max;
  const filled = `calc(${INSET} + ${share} * (100% - 2 * ${INSET}))`;
  return (
    <div className="flex min-w-0 flex-col gap-1 text-sm">
      <div className="flex flex-wrap justify-between gap-x-4">
        <label htmlFor={id} className="font-medium">
          {label}
        </label>
        <span aria-hidden className="tabular">
          {valueText}
        </span>
      </div>
      <input
        id={id}
        type="range"
        min={0}
        max={max}
        value={value}
        aria-valuetext={valueText}
        onChange={({ target }) => onChange(target.valueAsNumber)}
        className="slider w-full"
        style={{ '--filled': filled } as CSSProperties}
      />
    </div>
  );
}

const SETTLE_MS = 200;

/** The value, debounced: each step of a slider would be a request. */
export function useSettled<V extends string | number>(value: V): V {
  const [settled, setSettled] = useState(value);
  useEffect(() => {
    const timer = setTimeout(() => setSettled(value), SETTLE_MS);
    return () => clearTimeout(timer);
  }, [value]);
  return settled;
}
