import { LoaderCircle } from 'lucide-react';
import type { ReactNode } from 'react';
import { cx } from './cx.ts';

/** Decoration only: the surrounding text says what is loading. */
export function Spinner({ className }: { className?: string }) {
  return <LoaderCircle aria-hidden className={cx('size-4 animate-spin', className)} />;
}

/** A gray placeholder of the final size. */
export function Skeleton({ className }: { className?: string }) {
  return <div className={cx('h-4 animate-pulse rounded-sm bg-sunken', className)} />;
}

/** Around skeletons: announces what loads, and shows nothing for the first 150 ms. */
export function Loading({
  label,
  className,
  children,
}: {
  label: string;
  className?: string;
  children: ReactNode;
}) {
  return (
    <div role="status" className={cx('animate-late', className)}>
      <span className="sr-only">{label}</span>
      {children}
    </div>
  );
}

/** `count` skeletons. They never move, so their index is their key. */
export function Skeletons({ count, className }: { count: number; className?: string }) {
  const numbers = Array.from({ length: count }, (_, index) => index);
  return numbers.map((number) => <Skeleton key={number} className={className} />);
}
