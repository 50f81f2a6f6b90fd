import type { ComponentProps } from 'react';

/** Neither seen nor heard nor reached by people; programs fill it in. */
export function TrapField(props: ComponentProps<'input'>) {
  return (
    <div aria-hidden="true" className="absolute -left-[9999px] size-px overflow-hidden">
      <input {...props} type="text" tabIndex={-1} autoComplete="off" />
    </div>
  );
}
