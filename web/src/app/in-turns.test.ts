import { describe, expect, it } from 'vitest';
import { inTurns } from './in-turns.ts';

describe('calls for many items', () => {
  it('are all tried, and those that failed are reported in their order', async () => {
    const tried: number[] = [];
    const failed = await inTurns([1, 2, 3, 4, 5, 6], async (item) => {
      tried.push(item);
      return item % 2 ? { error: `no ${item}` } : { data: item };
    });
    expect(tried.toSorted()).toEqual([1, 2, 3, 4, 5, 6]);
    expect(failed).toEqual([1, 3, 5].map((item) => ({ item, error: `no ${item}` })));
  });

  it('are few at a time', async () => {
    let running = 0;
    let most = 0;
    await inTurns(
      Array.from({ length: 20 }, (_, item) => item),
      async () => {
        running += 1;
        most = Math.max(most, running);
        await Promise.resolve();
        running -= 1;
        return { data: null };
      },
    );
    expect(most).toBe(4);
  });
});
