import { describe, expect, it } from 'vitest';
import { figuresOf, settled, TestQueue } from './testing/test-queue.ts';

describe('suspended work', () => {
  const limits = { concurrency: 1, startedMax: 6, startedPerOrganizationMax: 2 };

  it('leaves its place to others, of its organization up to the cap', async () => {
    const test = new TestQueue(limits);
    test.addMany('a', 4);
    for (let round = 0; round < 3; round += 1) {
      await settled();
      for (const { place } of test.running) place?.suspend();
    }
    expect(await test.order()).toBe('aa');
    test.add('b');
    expect(await test.order()).toBe('aab');
  });

  it('suspends its place once, and resumes it once', async () => {
    const test = new TestQueue({ ...limits, concurrency: 2 }, 'suspended');
    const [first] = test.addMany('a', 1);
    await settled();
    const { place } = first ?? {};
    const state = () => [test.queue.free, figuresOf('suspended')?.[1]?.at(-1)];
    await place?.resume();
    expect(state()).toEqual([1, '0']);
    place?.suspend();
    place?.suspend();
    expect(state()).toEqual([2, '1']);
    await place?.resume();
    expect(state()).toEqual([1, '0']);
    place?.suspend();
    first?.end();
    await first?.result;
    expect(state()).toEqual([2, '0']);
    place?.suspend();
    expect(state()).toEqual([2, '0']);
  });

  it('leaves room for others to begin when it ends', async () => {
    const test = new TestQueue({ ...limits, startedPerOrganizationMax: 1 });
    const [first] = test.addMany('a', 2);
    await settled();
    first?.place?.suspend();
    expect(await test.order()).toBe('a');
    first?.end();
    expect(await test.order()).toBe('aa');
  });

  it('counts in what all organizations may have begun', async () => {
    const test = new TestQueue({ ...limits, startedMax: 2 });
    for (const organization of ['a', 'b', 'c']) {
      const piece = test.add(organization);
      await settled();
      piece.place?.suspend();
    }
    expect(await test.order()).toBe('ab');
  });

  it('runs at the cap of its organization, however much that may have begun', async () => {
    const test = new TestQueue({ startedMax: 6, startedPerOrganizationMax: 3 });
    test.addMany('a', 3);
    expect(await test.order()).toBe('a');
  });

  it('waits for a place to resume, ahead of work that has not started', async () => {
    const test = new TestQueue(limits);
    const [first, second, third] = test.addMany('a', 3);
    await settled();
    first?.place?.suspend();
    expect(await test.order()).toBe('aa');
    let isBack = false;
    const resumed = first?.place?.resume().then(() => {
      isBack = true;
    });
    await settled();
    expect(isBack).toBe(false);
    second?.end();
    await resumed;
    expect(test.started).not.toContain(third);
    first?.end();
    expect(await test.drain()).toBe('aaa');
  });

  /** Two pieces for one place: the first was suspended, and waits for the second to come back. */
  async function comingBack() {
    const test = new TestQueue(limits);
    const [first, second] = test.addMany('a', 2);
    await settled();
    first?.place?.suspend();
    await settled();
    return { test, first, second, back: first?.place?.resume() };
  }

  it('ends in every state', async () => {
    const { test, first, second, back } = await comingBack();
    first?.abort();
    await expect(back).rejects.toThrow('aborted');
    first?.end();
    second?.end();
    await Promise.all([first?.result, second?.result]);
    expect([test.queue.free, test.queue.runningOf('a')]).toEqual([1, 0]);
  });

  it('stops waiting for a place once it has ended', async () => {
    const { test, first, second, back } = await comingBack();
    first?.end();
    await expect(back).rejects.toThrow('has ended');
    second?.end();
    await second?.result;
    expect([test.queue.free, test.queue.runningOf('a')]).toEqual([1, 0]);
    await expect(first?.place?.resume()).rejects.toThrow('has ended');
  });
});
