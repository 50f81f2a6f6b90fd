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

  it('calls the server for few at a time', async () => {
    let running = 0;
    let most = 0;
    await runBulk(
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
