import { type Ref, type RefObject, useImperativeHandle } from 'react';

/**
 * Stands where Radix wants its trigger, for an element that stands elsewhere: so the element is on the
 * page before Radix is loaded, and stays the same when it comes.
 */
export function StandIn({
  of,
  ref,
}: {
  of: RefObject<HTMLElement | null>;
  ref?: Ref<HTMLElement>;
}) {
  useImperativeHandle(ref, () => of.current as HTMLElement, [of]);
  return null;
}
