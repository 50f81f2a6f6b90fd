import { describe, expect, it } from 'vitest';
import { createBackoff } from './supervise.ts';

describe('createBackoff', () => {
  it('doubles the wait from 0.2 s to 5 s', () => {
    const backoff = createBackoff();
    const waits = Array.from({ length: 7 }, () => backoff.next(0));
    expect(waits).toEqual([200, 400, 800, 1600, 3200, 5000, 5000]);
  });

  it('starts over after 30 s without a failure, and not before', () => {
    const backoff = createBackoff();
    backoff.next(0);
    expect(backoff.next(29_999)).toBe(400);
    expect(backoff.next(30_000)).toBe(200);
  });
});
