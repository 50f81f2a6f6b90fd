import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { canonicalJson, isNextLink, linkHash } from './hash-chain.ts';

describe('canonicalJson', () => {
  it('writes equal values as equal text, whatever the order of their keys', () => {
    expect(canonicalJson({ b: [1, { d: null, c: 'x' }], a: true })).toBe(
      '{"a":true,"b":[1,{"c":"x","d":null}]}',
    );
  });
  it('reads back as the same value', () => {
    fc.assert(
      fc.property(fc.jsonValue(), (value) => {
        expect(JSON.parse(canonicalJson(value))).toEqual(JSON.parse(JSON.stringify(value)));
      }),
    );
  });
  it('is the same for a value and for what is stored of it', () => {
    const value = { a: undefined, b: [undefined, 1], c: { d: undefined } };
    expect(canonicalJson(value)).toBe(canonicalJson(JSON.parse(JSON.stringify(value))));
  });
});

describe('a chain of links', () => {
  const link = (prev: string, data: { amount: number }) => {
    const unhashed = { ...data, prev };
    return { ...unhashed, hash: linkHash('Happened', unhashed) };
  };
  const first = link('', { amount: 1 });
  const second = link(first.hash, { amount: 2 });

  it('holds where each link names the hash of the one before', () => {
    expect(isNextLink('', 'Happened', first)).toBe(true);
    expect(isNextLink(first.hash, 'Happened', second)).toBe(true);
  });
  it('holds whatever the order in which the keys were stored', () => {
    const { hash, prev, amount } = second;
    expect(isNextLink(first.hash, 'Happened', { hash, amount, prev })).toBe(true);
  });
  it('breaks where a link was changed, moved, renamed, or given a key', () => {
    expect(isNextLink(first.hash, 'Happened', { ...second, amount: 3 })).toBe(false);
    expect(isNextLink('', 'Happened', second)).toBe(false);
    expect(isNextLink(first.hash, 'Forged', second)).toBe(false);
    expect(isNextLink(first.hash, 'Happened', { ...second, extra: 1 })).toBe(false);
    expect(isNextLink(first.hash, 'Happened', { ...second, hash: first.hash })).toBe(false);
  });
  it('has the hash that it had before: stored ledgers rest on it', () => {
    expect(linkHash('Happened', { amount: 1, prev: '' })).toBe(
      '82d17d136bd1df4cf85a48c07ca27a58e3c41accfb2c4ad07d60bbbfbdb677f6',
    );
  });
});
