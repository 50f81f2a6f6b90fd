import { LoaderCircle } from 'lucide-react';
import { cx } from './cx.ts';

/** Decoration only: the surrounding text says what is loading. */
export function Spinner({ className }: { className?: string }) {
  return <LoaderCircle aria-hidden className={cx('size-4 animate-spin', className)} />;
}
