import { describe, expect, it } from 'vitest';
import { keyCalls } from './key-calls.ts';

const quiet = { report: () => {} };

describe('the calls of a key', () => {
  it('are refused above the limit, until the next minute', () => {
    let at = 60_000;
    const calls = keyCalls({ perMinute: 3, scale: 1, ...quiet, now: () => at });
    const answers = () => Array.from({ length: 4 }, () => calls.count('a', 1));
    expect(answers()).toEqual([null, null, null, 60]);
    expect(calls.count('b', 1)).toBeNull();
    at += 59_500;
    expect(calls.count('a', 1)).toBe(1);
    at += 500;
    expect(answers()).toEqual([null, null, null, 60]);
  });

  it('count by their cost, and refused ones count nothing', () => {
    const calls = keyCalls({ perMinute: 10, scale: 0.7, ...quiet, now: () => 0 });
    expect([5, 5, 2, 1].map((weight) => calls.count('a', weight))).toEqual([null, 60, null, 60]);
  });

  it('on other instances count too, once however often they are reported, and only in their minute', () => {
    let at = 60_000;
    const calls = keyCalls({ perMinute: 10, scale: 1, ...quiet, now: () => at });
    calls.addFrom('one', { minute: 1, costs: [['a', 4]] });
    calls.addFrom('one', { minute: 1, costs: [['a', 5]] });
    calls.addFrom('other', { minute: 1, costs: [['a', 3]] });
    calls.addFrom('late', { minute: 0, costs: [['a', 10]] });
    expect([1, 2, 1].map((weight) => calls.count('a', weight))).toEqual([null, 60, null]);
    at += 60_000;
    expect(calls.count('a', 10)).toBeNull();
  });

  it('are reported together, without refused ones', async () => {
    const reported: [string, number][] = [];
    const report = (digest: string, count: number) => void reported.push([digest, count]);
    const calls = keyCalls({ perMinute: 6, scale: 1, report, now: () => 0 });
    for (const [digest, weight] of [
      ['a', 5],
      ['b', 1],
      ['a', 5],
      ['a', 1],
    ] as const) {
      calls.count(digest, weight);
    }
    expect(reported).toEqual([]);
    await calls[Symbol.asyncDispose]();
    expect(reported).toEqual([
      ['a', 2],
      ['b', 1],
    ]);
  });
});
