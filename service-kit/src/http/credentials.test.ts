import { describe, expect, it } from 'vitest';
import { signToken } from '../crypto/tokens.ts';
import { credentialOf, hasKey, keyDigest, newApiKey } from './credentials.ts';

const settings = { publicUrl: 'http://127.0.0.1', signingKey: 'k'.repeat(43) };
const expiresAt = new Date(Date.now() + 60_000);
const token = await signToken(settings.signingKey, 'sign-in', { subject: 'sign-in-1', expiresAt });
const request = (authorization?: string) => ({
  headers: authorization === undefined ? {} : { authorization },
  cookies: { tallyhand: token },
});

describe('a credential', () => {
  it('is the sign-in that the cookie names', async () => {
    const expected = { kind: 'member', id: 'sign-in-1' };
    expect(await credentialOf(request(), settings)).toEqual(expected);
    expect(await credentialOf(request('Basic YTpi'), settings)).toEqual(expected);
  });
  it('is the digest of a key, which never shows the key', async () => {
    const key = newApiKey();
    const expected = { kind: 'api-key', id: keyDigest(key) };
    expect(await credentialOf(request(`Bearer ${key}`), settings)).toEqual(expected);
    expect(await credentialOf(request(`bearer  ${key}`), settings)).toEqual(expected);
    expect(keyDigest(key)).not.toBe(keyDigest(newApiKey()));
  });
  it.each(['Bearer', 'Bearer ', 'Bearer th_', 'Bearer th_short', `Bearer ${token}`, 'BEARER x y'])(
    'is null when the header has no key, whatever the cookie says: %s',
    async (authorization) => {
      expect(hasKey(request(authorization))).toBe(true);
      expect(await credentialOf(request(authorization), settings)).toBeNull();
    },
  );
});

describe('a new key', () => {
  it('has 256 random bits, in letters that need no escape', () => {
    const keys = Array.from({ length: 100 }, newApiKey);
    expect(new Set(keys).size).toBe(100);
    for (const key of keys) expect(key).toMatch(/^th_[A-Za-z0-9_-]{43}$/);
  });
});
