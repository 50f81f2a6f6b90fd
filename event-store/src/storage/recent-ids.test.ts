import { describe, expect, it } from 'vitest';
import { RecentIds } from './event-writer.ts';

describe('RecentIds', () => {
  it('finds the newest event with an id', () => {
    const recent = new RecentIds();
    recent.add('a', 1);
    recent.add('b', 2);
    recent.add('a', 3);
    expect(recent.find('a')).toBe(3);
    expect(recent.find('c')).toBeNull();
  });

  it('remembers the newest 65,536 and forgets the oldest', () => {
    const recent = new RecentIds();
    for (let n = 0; n < 200_000; n += 1) recent.add(`id-${n}`, n);
    expect(recent.find('id-0')).toBeNull();
    expect(recent.find(`id-${200_000 - 65_536}`)).toBe(200_000 - 65_536);
    expect(recent.find('id-199999')).toBe(199_999);
  });
});
