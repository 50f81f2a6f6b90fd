import { cx } from './cx.ts';

/** The tally: four strokes and one across. */
export function Mark({ className }: { className?: string }) {
  return (
    <svg
      viewBox="0 0 16 16"
      fill="none"
      strokeLinecap="round"
      aria-hidden="true"
      className={cx('size-6 shrink-0', className)}
    >
      <path
        stroke="currentColor"
        strokeWidth="1.5"
        d="M3.2 2.5v11M6.4 2.5v11M9.6 2.5v11M12.8 2.5v11"
      />
      <path className="stroke-accent" strokeWidth="1.7" d="M1 11.6 15 4.4" />
    </svg>
  );
}

export function Logo() {
  return (
    <span className="inline-flex items-center gap-2 text-base font-semibold">
      <Mark />
      Tallyhand
    </span>
  );
}
