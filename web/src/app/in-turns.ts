import type { Outcome } from './announce.ts';

/** Calls to the server at the same time. */
const AT_ONCE = 4;

/** An item whose call failed. */
export type Failed<T> = { item: T; error: unknown };

/** Calls the server for each item, a few at a time; all are tried, whatever fails. */
export async function inTurns<T>(
  items: readonly T[],
  run: (item: T) => PromiseLike<Outcome>,
): Promise<Failed<T>[]> {
  const failed: Failed<T>[] = [];
  const waiting = items.values();
  const worker = async () => {
    for (const item of waiting) {
      const { error } = await run(item);
      if (error) failed.push({ item, error });
    }
  };
  await Promise.all(Array.from({ length: AT_ONCE }, worker));
  return items.flatMap((item) => failed.filter((each) => each.item === item));
}
