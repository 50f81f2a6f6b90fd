/** A share of a whole, 0 to 100, with its name and what it is a share of. */
export function Progress({
  label,
  percent,
  detail,
}: {
  label: string;
  percent: number;
  detail: string;
}) {
  return (
    <div className="flex flex-col gap-1">
      <div className="flex justify-between gap-3 text-sm">
        <span>{label}</span>
        <span className="tabular text-muted">{detail}</span>
      </div>
      <ProgressBar label={label} percent={percent} />
    </div>
  );
}

/** The bar alone, where its figure stands beside it. `label` is read aloud. */
export function ProgressBar({ label, percent }: { label: string; percent: number }) {
  const shown = Math.max(0, Math.min(100, percent));
  return (
    <div
      role="progressbar"
      aria-label={label}
      aria-valuemin={0}
      aria-valuemax={100}
      aria-valuenow={shown}
      aria-valuetext={`${Math.round(shown)}%`}
      className="h-2 overflow-hidden rounded-full bg-line"
    >
      <div
        className="h-full rounded-full bg-accent transition-[width] duration-150 ease-out"
        style={{ width: `${shown}%` }}
      />
    </div>
  );
}

export const percentOf = (part: number, whole: number) => (whole === 0 ? 0 : (part / whole) * 100);
