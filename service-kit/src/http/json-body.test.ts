import { describe, expect, it } from 'vitest';
import { checkHygiene } from './json-body.ts';
import { RefusalError } from './problem.ts';

function refusedFor(value: unknown) {
  try {
    checkHygiene(value);
  } catch (error) {
    if (error instanceof RefusalError) return error.refusal;
    throw error;
  }
  return null;
}

/** `levels` lists, one in the other. */
const nested = (levels: number): unknown => JSON.parse('['.repeat(levels) + ']'.repeat(levels));

describe('a body', () => {
  it.each([
    ['text of any script', { name: 'Åsa 返品 👩‍🔬\n\t' }],
    ['nothing', null],
    ['lists in objects', { a: [{ b: ['c'] }] }],
    ['an empty key', { '': 1 }],
  ])('may hold %s', (_, value) => {
    expect(refusedFor(value)).toBeNull();
  });

  it.each([
    ['a null character', { a: { b: ['ok', 'x\u0000y'] } }, 'a.b.1'],
    ['half a surrogate pair', { name: 'x\ud800' }, 'name'],
    ['a null character in a key', { a: { 'x\u0000': 1 } }, 'a'],
    ['a key that would change what objects are', JSON.parse('{"a":{"__proto__":{}}}'), 'a'],
    ['the key constructor', { constructor: 1 }, ''],
    ['the key prototype', { list: [{ prototype: 1 }] }, 'list.0'],
  ])('is refused, by its path, for %s', (_, value, path) => {
    const refused = refusedFor(value);
    expect(refused).toMatchObject({ code: 'validation-failed', status: 422 });
    expect(refused?.errors?.map((error) => error.path)).toEqual([path]);
  });

  it('may be nested up to a limit', () => {
    expect(refusedFor(nested(16))).toBeNull();
    expect(refusedFor(nested(17))).toBeNull();
    expect(refusedFor(nested(18))).toMatchObject({ code: 'malformed-request', status: 400 });
  });

  it('may contain values up to a limit', () => {
    expect(refusedFor(Array(20_000).fill(0))).toBeNull();
    expect(refusedFor(Array(20_001).fill(0))).toMatchObject({ code: 'malformed-request' });
  });

  it('that is nested without an end is refused without being traversed', () => {
    expect(refusedFor(nested(200_000))).toMatchObject({ code: 'malformed-request' });
  });
});
