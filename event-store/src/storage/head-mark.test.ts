import { describe, expect, it } from 'vitest';
import { decodeMark, encodeMark } from './head-mark.ts';

describe('the mark of the last event', () => {
  it.each([0, 1, 4_294_967_296, Number.MAX_SAFE_INTEGER])('keeps %d', (position) => {
    expect(decodeMark(encodeMark(position))).toBe(position);
  });

  it('is none when it is torn, empty or altered', () => {
    const whole = encodeMark(12_345);
    expect(decodeMark('')).toBeNull();
    expect(decodeMark(whole.slice(0, -1))).toBeNull();
    expect(decodeMark(whole.replace('5', '6'))).toBeNull();
    expect(decodeMark(whole + whole)).toBeNull();
  });
});
