import { describe, expect, it } from 'vitest';
import { runBulk } from './bulk.ts';

const items = ['a', 'b', 'c', 'd', 'e', 'f'];

describe('an action on several items', () => {
  it('reports which succeeded and which failed, in their order', async () => {
    const { done, failed } = await runBulk(items, async (item) =>
      item < 'c' ? { error: `no ${item}` } : { data: null },
    );
    expect(done).toEqual(['c', 'd', 'e', 'f']);
    expect(failed).toEqual([
      { item: 'a', error: 'no a' },
      { item: 'b', error: 'no b' },
    ]);
  });

  it('counts those that have ended', async () => {
    const heard: number[] = [];
    await runBulk(
      items,
      async () => ({ data: null }),
      (ended) => heard.push(ended),
    );
    expect(heard).toEqual([1, 2, 3, 4, 5, 6]);
  });
});
