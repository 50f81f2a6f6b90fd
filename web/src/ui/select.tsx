import { ChevronDown } from 'lucide-react';
import type { ComponentProps } from 'react';
import { cx } from './cx.ts';
import { useFieldWiring } from './field.tsx';
import { controlClass } from './input.tsx';

export type SelectOption = { value: string; label: string };

/**
 * The platform's own select: a phone opens its own picker, and it needs no <style> tag, which
 * the one of Radix renders and our Content-Security-Policy refuses.
 */
export function Select({
  options,
  className,
  ...rest
}: Omit<ComponentProps<'select'>, 'children'> & { options: readonly SelectOption[] }) {
  return (
    <div className={cx('relative', className)}>
      <select
        {...useFieldWiring()}
        {...rest}
        className={cx(controlClass, 'h-9 appearance-none truncate pr-9')}
      >
        {options.map(({ value, label }) => (
          <option key={value} value={value}>
            {label}
          </option>
        ))}
      </select>
      <ChevronDown
        aria-hidden
        className="pointer-events-none absolute top-1/2 right-3 size-4 -translate-y-1/2 text-muted"
      />
    </div>
  );
}
