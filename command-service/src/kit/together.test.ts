import { describe, expect, it } from 'vitest';
import { together } from './together.ts';

/** A statement whose calls end when they are told to. */
function statement() {
  const calls: { items: readonly number[]; end: (error?: Error) => void }[] = [];
  const run = (items: readonly number[]) =>
    new Promise<void>((resolve, reject) => {
      calls.push({ items, end: (error) => (error ? reject(error) : resolve()) });
    });
  return { calls, send: together(run) };
}

describe('calls that come together', () => {
  it('wait for the one under way, and then go as one', async () => {
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
