import { randomBytes } from 'node:crypto';
import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { sealedBox } from './sealed-box.ts';

const key = () => randomBytes(32).toString('base64url');
const box = sealedBox(key());
const plain = Buffer.from('a secret of more than one block of the cipher');

describe('a sealed value', () => {
  it('opens under its context, whatever its content', () => {
    fc.assert(
      fc.property(fc.uint8Array(), fc.string(), (bytes, context) => {
        const sealed = box.seal(Buffer.from(bytes), context);
        expect(box.open(sealed, context)).toEqual(Buffer.from(bytes));
      }),
    );
  });
  it('reveals nothing of its content, and differs each time', () => {
    const sealed = box.seal(plain, 'password-hash 1');
    expect(sealed.includes(plain.subarray(0, 8))).toBe(false);
    expect(box.seal(plain, 'password-hash 1').equals(sealed)).toBe(false);
  });
  it('does not open under another context, as in the row of another person', () => {
    const sealed = box.seal(plain, 'password-hash 1');
    expect(() => box.open(sealed, 'password-hash 2')).toThrow();
    expect(() => box.open(sealed, '')).toThrow();
  });
  it('does not open under another master key', () => {
    const sealed = box.seal(plain, 'password-hash 1');
    expect(() => sealedBox(key()).open(sealed, 'password-hash 1')).toThrow();
  });
  it('does not open when any byte was altered, or the end cut off', () => {
    const sealed = box.seal(plain, 'password-hash 1');
    for (let at = 0; at < sealed.length; at += 1) {
      const altered = Buffer.from(sealed);
      altered[at] = (altered[at] ?? 0) ^ 1;
      expect(() => box.open(altered, 'password-hash 1')).toThrow();
    }
    for (let length = 0; length < sealed.length; length += 1) {
      expect(() => box.open(sealed.subarray(0, length), 'password-hash 1')).toThrow();
    }
  });
});

describe('a keyed hash', () => {
  it('is the same for the same value, under one key and purpose only', () => {
    const hash = box.keyedHash('email', 'ada@example.com');
    expect(hash).toMatch(/^[0-9a-f]{64}$/);
    expect(box.keyedHash('email', 'ada@example.com')).toBe(hash);
    expect(box.keyedHash('email', 'eda@example.com')).not.toBe(hash);
    expect(box.keyedHash('source-address', 'ada@example.com')).not.toBe(hash);
    expect(sealedBox(key()).keyedHash('email', 'ada@example.com')).not.toBe(hash);
  });
});

describe('sealedBox', () => {
  it.each([0, 31, 33])('refuses a master key of %i bytes', (bytes) => {
    expect(() => sealedBox(randomBytes(bytes).toString('base64url'))).toThrow('32 bytes');
  });
});
