import { useEffect, useState } from 'react';

const SETTLE_MS = 200;

/** The value, debounced: each step of a slider would be a request. */
export function useSettled<V extends string | number>(value: V): V {
  const [settled, setSettled] = useState(value);
  useEffect(() => {
    const timer = setTimeout(() => setSettled(value), SETTLE_MS);
    return () => clearTimeout(timer);
  }, [value]);
  return settled;
}
