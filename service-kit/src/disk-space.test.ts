import { describe, expect, it } from 'vitest';
import { isLow } from './disk-space.ts';

const GB = 1e9;
const space = (purpose: string, freeBytes: number, sizeBytes: number) =>
  isLow({ purpose, freeBytes, sizeBytes });

describe('the room on a disk', () => {
  it('is low where less than a tenth of it is left', () => {
    expect(space('data', 100 * GB, 1_000 * GB)).toBe(false);
    expect(space('data', 100 * GB - 1, 1_000 * GB)).toBe(true);
    expect(space('temporary', GB - 1, 10 * GB)).toBe(true);
  });

  it('is low below 2 GB, unless nothing is stored there', () => {
    expect(space('data', 2 * GB, 10 * GB)).toBe(false);
    expect(space('data', 2 * GB - 1, 10 * GB)).toBe(true);
    expect(space('temporary', GB, 10 * GB)).toBe(false);
  });
});
