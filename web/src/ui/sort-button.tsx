import { ArrowDown, ArrowUp, ChevronsUpDown } from 'lucide-react';
import { cx } from './cx.ts';
import type { Direction } from './sort.ts';

const icons = { ascending: ArrowUp, descending: ArrowDown, none: ChevronsUpDown };

/** The head of a column that sorts: an arrow shows which way, a faint one that it could. */
export function SortButton({
  header,
  direction,
  numeric,
  onClick,
}: {
  header: string;
  direction: Direction | 'none';
  numeric: boolean;
  onClick: () => void;
}) {
  const Icon = icons[direction];
  return (
    <button
      type="button"
      onClick={onClick}
      className={cx(
        'inline-flex min-h-9 items-center gap-1 rounded-sm font-medium whitespace-nowrap',
        'transition-colors duration-150 ease-out hover:text-text',
        direction !== 'none' && 'text-text',
        // The word stands above the digits.
        numeric && 'flex-row-reverse',
      )}
    >
      {header}
      <Icon
        aria-hidden
        className={cx('size-3.5 shrink-0 print:hidden', direction === 'none' && 'opacity-50')}
      />
    </button>
  );
}
