import { type Ref, type RefObject, useImperativeHandle } from 'react';

/**
 * Radix's trigger for an element elsewhere, which is on the page before Radix is loaded and stays
 * the same afterwards.
 */
export function ExternalTrigger({
  of,
  ref,
}: {
  of: RefObject<HTMLElement | null>;
  ref?: Ref<HTMLElement>;
}) {
  useImperativeHandle(ref, () => of.current as HTMLElement, [of]);
  return null;
}
