import { describe, expect, it } from 'vitest';
import { storable } from './storable.ts';

describe('the content of an event', () => {
  it('is unchanged if it can be stored', () => {
    const value = { text: 'é 😀 \\u0000 \n', list: [1, null, true, { inner: 'x' }] };
    expect(storable(value)).toBe(value);
  });

  it('has a replacement for each character that cannot be stored, however deep', () => {
    const value = { text: 'a\0b', list: ['\ud83d', { inner: '\ude00x', count: 1, none: null }] };
    expect(storable(value)).toEqual({
      text: 'a\ufffdb',
      list: ['\ufffd', { inner: '\ufffdx', count: 1, none: null }],
    });
    expect(storable({ 'a\0': { '\ud83d': 1 } })).toEqual({ 'a\ufffd': { '\ufffd': 1 } });
  });
});
