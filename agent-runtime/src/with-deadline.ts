const deadlines = new WeakMap<AbortSignal, AbortSignal>();

/**
 * Aborts as `signal` does, or after `ms` milliseconds. Node drops the timer of `AbortSignal.timeout`
 * when only `AbortSignal.any` refers to it, so what comes of both keeps it here.
 */
export function withDeadline(signal: AbortSignal, ms: number): AbortSignal {
  const deadline = AbortSignal.timeout(ms);
  const either = AbortSignal.any([signal, deadline]);
  deadlines.set(either, deadline);
  return either;
}
