import type { ComponentProps } from 'react';
import { cx } from './cx.ts';

/** A quiet button of a page's header; it may open a menu. */
export function HeaderButton({ className, ...rest }: ComponentProps<'button'>) {
  return (
    <button
      type="button"
      {...rest}
      className={cx(
        'inline-flex h-9 min-w-9 shrink-0 items-center justify-center gap-2 rounded-md px-2 text-sm',
        'text-muted transition-colors duration-150 ease-out hover:bg-sunken hover:text-text',
        'data-[state=open]:bg-sunken data-[state=open]:text-text [&_svg]:size-4',
        className,
      )}
    />
  );
}
