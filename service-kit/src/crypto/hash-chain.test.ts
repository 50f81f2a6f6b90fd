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
  it('is the same for a value and for its stored form', () => {
    const value = { a: undefined, b: [undefined, 1], c: { d: undefined } };
    expect(canonicalJson(value)).toBe(canonicalJson(JSON.parse(JSON.stringify(value))));
  });
});

describe('a chain of links', () => {
  const event = (id: string, amount: number) => ({
    id,
    type: 'Happened',
    data: { amount },
    envelope: { actor: { kind: 'member', id: 'ada' }, recordedAt: '2026-11-21T08:00:00.000Z' },
  });
  const linked = (prev: string, unlinked: ReturnType<typeof event>) => ({
    ...unlinked,
    envelope: { ...unlinked.envelope, link: { prev, hash: linkHash(prev, unlinked) } },
  });
  const first = linked('', event('1', 1));
  const { hash } = first.envelope.link;
  const second = linked(hash, event('2', 2));

  it('is valid when each link names the hash of the previous one', () => {
    expect(isNextLink('', first)).toBe(true);
    expect(isNextLink(hash, second)).toBe(true);
  });
  it('is valid for every order of stored keys', () => {
    const { link, recordedAt, actor } = second.envelope;
    const { envelope: _, data, type, id } = second;
    expect(isNextLink(hash, { envelope: { link, recordedAt, actor }, data, type, id })).toBe(true);
  });
  it.each([
    ['its id', { ...second, id: '3' }],
    ['its type', { ...second, type: 'Forged' }],
    ['its data', { ...second, data: { amount: 3 } }],
    ['a key more', { ...second, data: { amount: 2, extra: 1 } }],
    ['who did it', { ...second, envelope: { ...second.envelope, actor: { kind: 'worker' } } }],
    ['when', { ...second, envelope: { ...second.envelope, recordedAt: '2026-11-21T09:00:00Z' } }],
    ['its hash', { ...second, envelope: { ...second.envelope, link: first.envelope.link } }],
    ['the lack of a link', { ...second, envelope: {} }],
  ])('breaks where a change was made to %s', (_, changed) => {
    expect(isNextLink(hash, changed)).toBe(false);
  });
  it('breaks where a link was left out', () => {
    expect(isNextLink('', second)).toBe(false);
  });
  it('has the hash that it had before: stored ledgers rest on it', () => {
    expect(hash).toBe('cf5aa80e9f2d5537c7e014d59a0e22779c485614f90dfdfcc993cf3b1a6ab383');
  });
});
