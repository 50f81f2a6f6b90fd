import type { ComponentProps } from 'react';
import { cx } from './cx.ts';
import { useFieldWiring } from './field.tsx';
import { controlClass, TEXT_TAKEN_MAX } from './input.tsx';

/** Grows with its text, from `rows` up to half the screen. */
export function Textarea({ className, rows = 3, ...rest }: ComponentProps<'textarea'>) {
  return (
    <textarea
      dir="auto"
      maxLength={TEXT_TAKEN_MAX}
      {...useFieldWiring()}
      rows={rows}
      {...rest}
      className={cx(
        controlClass,
        'field-sizing-content supports-[field-sizing:content]:resize-none max-h-[50dvh] py-2',
        className,
      )}
      style={{ minHeight: `${rows * 1.5 + 1.125}em` }}
    />
  );
}
