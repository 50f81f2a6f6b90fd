import { describe, expect, it } from 'vitest';
import { base32, codeAt, otpauthUri, stepAt, stepOf } from './second-factors.ts';

const secret = Buffer.from('12345678901234567890');

describe('the codes of an authenticator', () => {
  // RFC 6238, appendix B, the last six of eight digits.
  it.each([
    [59, '287082'],
    [1111111109, '081804'],
    [1111111111, '050471'],
    [1234567890, '005924'],
    [2000000000, '279037'],
    [20000000000, '353130'],
  ])('are those of RFC 6238 at %d seconds', (seconds, code) => {
    expect(codeAt(secret, stepAt(new Date(seconds * 1000)))).toBe(code);
  });

  it('accepts the code one step early and late, but no further', () => {
    const now = new Date(1111111111_000);
    const present = stepAt(now);
    for (const off of [-1, 0, 1]) {
      expect(stepOf(secret, codeAt(secret, present + off), now)).toBe(present + off);
    }
    for (const off of [-2, 2]) {
      expect(stepOf(secret, codeAt(secret, present + off), now)).toBeNull();
    }
  });

  it('are set up by an address that names the account', () => {
    expect(base32(secret)).toBe('GEZDGNBVGY3TQOJQGEZDGNBVGY3TQOJQ');
    expect(otpauthUri(secret, 'ada@example.com')).toBe(
      'otpauth://totp/Tallyhand%3Aada%40example.com?secret=GEZDGNBVGY3TQOJQGEZDGNBVGY3TQOJQ&issuer=Tallyhand',
    );
  });
});
