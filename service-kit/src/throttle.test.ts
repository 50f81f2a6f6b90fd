import { describe, expect, it } from 'vitest';
import { throttle } from './throttle.ts';

describe('what happens often', () => {
  it('is reported once per period, separately for each id', () => {
    let now = 0;
    const runs: string[] = [];
    const note = throttle(
      10,
      (id, at) => runs.push(`${id} ${at.getTime()}`),
      () => now,
    );
    for (const at of [0, 9, 10, 19]) {
      now = at;
      note('a');
    }
    note('b');
    expect(runs).toEqual(['a 0', 'a 10', 'b 19']);
  });
  it('is remembered for the newest only, so that memory stays bounded', () => {
    let count = 0;
    const note = throttle(
      10,
      () => {
        count += 1;
      },
      () => 0,
    );
    for (let id = 0; id <= 10_000; id += 1) note(String(id));
    note('10000');
    expect(count).toBe(10_001);
    note('0');
    expect(count).toBe(10_002);
  });
});
