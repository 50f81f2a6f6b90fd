import { afterEach, beforeEach, describe, expect, it, vi } from 'vitest';
import { Batcher } from './batcher.ts';

/** A statement whose calls finish on request. */
function statement() {
  const calls: { items: readonly number[]; end: (error?: Error) => void }[] = [];
  const run = (items: readonly number[]) =>
    new Promise<void>((resolve, reject) => {
      calls.push({ items, end: (error) => (error ? reject(error) : resolve()) });
    });
  const batcher = new Batcher(run);
  return { calls, send: (item: number) => batcher.add(item) };
}

describe('with a rest between them', () => {
  beforeEach(() => {
    vi.useFakeTimers();
  });
  afterEach(() => {
    vi.useRealTimers();
  });

  it('a single item is sent immediately, and items that follow soon are sent together', async () => {
    const calls: (readonly number[])[] = [];
    const batcher = new Batcher(async (items: readonly number[]) => void calls.push(items), 20);
    const send = (item: number) => batcher.add(item);
    await send(1);
    const others = [send(2), send(3)];
    await vi.advanceTimersByTimeAsync(19);
    expect(calls).toEqual([[1]]);
    await vi.advanceTimersByTimeAsync(1);
    await Promise.all(others);
    expect(calls).toEqual([[1], [2, 3]]);
    await vi.advanceTimersByTimeAsync(20);
    await send(4);
    expect(calls).toEqual([[1], [2, 3], [4]]);
  });
});

describe('calls that come together', () => {
  it('wait for the running call, and are then sent as one', async () => {
    const { calls, send } = statement();
    const first = send(1);
    const others = [send(2), send(3)];
    expect(calls.map(({ items }) => items)).toEqual([[1]]);
    calls[0]?.end();
    await first;
    expect(calls.map(({ items }) => items)).toEqual([[1], [2, 3]]);
    calls[1]?.end();
    await Promise.all(others);
  });

  it('fail together, and not those after them', async () => {
    const { calls, send } = statement();
    const failed = send(1);
    const next = send(2);
    calls[0]?.end(new Error('no'));
    await expect(failed).rejects.toThrow('no');
    calls[1]?.end();
    await next;
    const last = send(3);
    calls[2]?.end();
    await last;
  });
});
