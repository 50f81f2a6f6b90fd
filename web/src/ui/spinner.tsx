import { LoaderCircle } from 'lucide-react';
import { cx } from './cx.ts';

/** Decoration only: whoever shows it says in words what is being waited for. */
export function Spinner({ className }: { className?: string }) {
  return <LoaderCircle aria-hidden className={cx('size-4 animate-spin', className)} />;
}
