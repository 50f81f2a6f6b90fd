import { describe, expect, it } from 'vitest';
import { sampleOf } from './sample-value.ts';

describe('a sample', () => {
  it.each([
    [{ type: ['string', 'null'] }, 'text'],
    [{ type: 'integer', minimum: 5 }, 5],
    [{ type: 'array', items: { type: 'boolean' }, minItems: 1 }, [true]],
    [{ anyOf: [{ const: 'a' }, { const: 'b' }] }, 'a'],
    [
      { type: 'object', properties: { a: { type: 'string' }, b: {} }, required: ['a'] },
      { a: 'text' },
    ],
    [{}, null],
  ])('has the type of %j', (schema, expected) => {
    expect(sampleOf(schema)).toEqual(expected);
  });
});
