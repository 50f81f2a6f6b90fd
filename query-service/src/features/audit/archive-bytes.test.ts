import { describe, expect, it } from 'vitest';
import { rangeAsked } from './archive-bytes.ts';

const asked = (range?: string, ifRange?: string) =>
  rangeAsked({ range, 'if-range': ifRange }, 1_000, '"tag"');

describe('the requested byte range', () => {
  it.each([
    ['bytes=0-', [0, 1_000]],
    ['bytes=200-299', [200, 300]],
    ['bytes=900-5000', [900, 1_000]],
    ['bytes=-100', [900, 1_000]],
    ['bytes=-5000', [0, 1_000]],
    ['bytes=1000-', [1_000, 1_000]],
    ['bytes=5000-', [5_000, 1_000]],
  ])('are those of %s', (range, bytes) => {
    expect(asked(range)).toEqual(bytes);
    expect(asked(range, '"tag"')).toEqual(bytes);
  });

  it.each([
    undefined,
    '',
    'bytes=',
    'bytes=-',
    'bytes=a-b',
    'bytes=300-200',
    'lines=1-2',
    'bytes=1-2,4-5',
  ])('are all of them with %s', (range) => expect(asked(range)).toBeNull());

  it('are all of them if the file has changed', () => {
    expect(asked('bytes=200-299', '"other"')).toBeNull();
  });
});
