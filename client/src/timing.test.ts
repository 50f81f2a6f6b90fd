import { describe, expect, it } from 'vitest';
import { backoffMs, retryAfterMs } from './timing.ts';
import { furthest } from './transport.ts';

const wait = (headers: Record<string, string>) => retryAfterMs(new Response(null, { headers }));

describe('Retry-After', () => {
  it.each([
    ['7', 7_000],
    ['0', 0],
    ['soon', undefined],
    ['-1', undefined],
    ['1e9', undefined],
    ['99999999999999999999', undefined],
  ])('of %s is %s ms', (text, ms) => {
    expect(wait({ 'retry-after': text })).toBe(ms);
  });

  it('as a date counts from the date of the answer, whatever the local clock says', () => {
    const date = 'Thu, 01 Jan 1998 00:00:00 GMT';
    expect(wait({ date, 'retry-after': 'Thu, 01 Jan 1998 00:00:30 GMT' })).toBe(30_000);
    expect(wait({ date, 'retry-after': 'Wed, 31 Dec 1997 00:00:00 GMT' })).toBe(0);
  });
});

describe('the wait before a retry', () => {
  it('grows, has jitter, and stays below its maximum', () => {
    for (let attempt = 0; attempt < 2_000; attempt += 1) {
      expect(backoffMs(attempt)).toBeGreaterThanOrEqual(250);
      expect(backoffMs(attempt)).toBeLessThanOrEqual(8_000);
    }
  });
});

describe('the position of a client', () => {
  it('never goes back', () => {
    expect(furthest('C10-P9', 'C9-P9')).toBe('C10-P9');
    expect(furthest('C9-P9', 'C10-P9')).toBe('C10-P9');
    expect(furthest('C10-P9', 'C10-P10')).toBe('C10-P10');
    expect(furthest(undefined, 'C0-P0')).toBe('C0-P0');
  });

  it('of another format is the one that arrived last', () => {
    expect(furthest('C10-P9', null)).toBe('C10-P9');
    expect(furthest('C10-P9', 'v2:11')).toBe('v2:11');
    expect(furthest('v2:11', 'v2:12')).toBe('v2:12');
    expect(furthest('v2:11', 'C1-P1')).toBe('C1-P1');
  });
});
