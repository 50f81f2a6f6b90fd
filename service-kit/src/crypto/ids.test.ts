import { Id } from '@tallyhand/contracts/kernel/ids';
import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { derivedId, newId } from './ids.ts';

const MOMENT_MS = Date.UTC(2026, 10, 21);

describe('newId', () => {
  it('is a UUID of version 7', () => {
    expect(Id.safeParse(newId()).success).toBe(true);
    expect(newId()).toMatch(
      /^[0-9a-f]{8}-[0-9a-f]{4}-7[0-9a-f]{3}-[89ab][0-9a-f]{3}-[0-9a-f]{12}$/,
    );
  });
  it('sorts as text by the moment it was made, to the millisecond', () => {
    fc.assert(
      fc.property(fc.nat(2 ** 41), fc.nat(2 ** 41), (a, b) => {
        fc.pre(a !== b);
        expect(newId(a) < newId(b)).toBe(a < b);
      }),
    );
  });
  it('differs each time, even at one moment', () => {
    const ids = Array.from({ length: 1_000 }, () => newId(MOMENT_MS));
    expect(new Set(ids).size).toBe(1_000);
  });
});

describe('derivedId', () => {
  it('is a UUID of version 8, the same one for the same parts', () => {
    expect(Id.safeParse(derivedId('a', 'b')).success).toBe(true);
    expect(derivedId('a', 'b')).toMatch(/^[0-9a-f]{8}-[0-9a-f]{4}-8[0-9a-f]{3}-[89ab]/);
    expect(derivedId('a', 'b')).toBe(derivedId('a', 'b'));
  });
  it('is the one that was derived before: stored ids rest on it', () => {
    expect(derivedId('organization', 'sign-up')).toBe('bc4d967e-d42c-8909-a65b-4dd9ecf65a7c');
  });
  it('differs for other parts, also where they would read alike when joined', () => {
    const parts = fc.array(fc.string({ maxLength: 4 }), { maxLength: 4 });
    fc.assert(
      fc.property(parts, parts, (a, b) => {
        fc.pre(JSON.stringify(a) !== JSON.stringify(b));
        expect(derivedId(...a)).not.toBe(derivedId(...b));
      }),
    );
    expect(derivedId('ab', 'c')).not.toBe(derivedId('a', 'bc'));
  });
});
