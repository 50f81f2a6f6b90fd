import { ChevronDown } from 'lucide-react';
import { cx } from '../../ui/cx.ts';

/** Opens and closes what more is known of an entry; `details` is the id of that part. */
export function DetailsButton({
  label,
  details,
  isOpen,
  setOpen,
}: {
  label: string;
  details: string;
  isOpen: boolean;
  setOpen: (isOpen: boolean) => void;
}) {
  return (
    <button
      type="button"
      aria-expanded={isOpen}
      aria-controls={isOpen ? details : undefined}
      aria-label={label}
      onClick={() => setOpen(!isOpen)}
      className="inline-flex size-8 items-center justify-center rounded-md text-muted transition-colors duration-150 ease-out hover:bg-sunken hover:text-text"
    >
      <ChevronDown aria-hidden className={cx('size-4', isOpen && 'rotate-180')} />
    </button>
  );
}
