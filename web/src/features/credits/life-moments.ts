/** Steps of the slider: fine enough to point at, few enough for the keys. */
export const MOMENTS_MAX = 200;

/**
 * The moment that a stop stands for, between the beginning of the ledger (stop 0) and `until`, both
 * in milliseconds; null at the last stop, which is now, whatever happens meanwhile.
 */
export function momentAt(stop: number, beginning: number, until: number): string | null {
  if (stop >= MOMENTS_MAX) return null;
  const span = Math.max(0, until - beginning);
  return new Date(beginning + Math.floor((span * stop) / MOMENTS_MAX)).toISOString();
}
