import type { LucideIcon } from 'lucide-react';
import type { ComponentProps } from 'react';
import { cx } from './cx.ts';
import { useFieldWiring } from './field.tsx';

/** The look that every control one types or chooses in shares. 16 px on phones: no zoom. */
export const controlClass = cx(
  'w-full min-w-0 rounded-md border border-border bg-surface px-3 text-base sm:text-sm text-text',
  'transition-colors duration-150 ease-out hover:border-text/70',
  'focus-visible:outline-2 focus-visible:outline-offset-0 focus-visible:outline-accent',
  'aria-invalid:border-danger disabled:opacity-55 [&[readonly]]:bg-sunken',
);

/**
 * More than any text may have, and no more than a browser can show: what is beyond it is left out,
 * and the form says how long the text may be.
 */
export const TEXT_TAKEN_MAX = 500_000;

export function Input({ className, ...rest }: ComponentProps<'input'>) {
  // Right-to-left text is shown correctly while typing.
  return (
    <input
      dir="auto"
      maxLength={TEXT_TAKEN_MAX}
      {...useFieldWiring()}
      {...rest}
      className={cx(controlClass, 'h-9', className)}
    />
  );
}

/** An input with a picture of its purpose before it, as in a search box. */
export function IconInput({
  icon: Icon,
  className,
  ...rest
}: ComponentProps<'input'> & { icon: LucideIcon }) {
  return (
    <div className={cx('relative', className)}>
      <Icon
        aria-hidden
        className="pointer-events-none absolute top-1/2 left-3 size-4 -translate-y-1/2 text-muted"
      />
      <Input {...rest} className="pl-9" />
    </div>
  );
}
