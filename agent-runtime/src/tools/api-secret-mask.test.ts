import { describe, expect, it } from 'vitest';
import { secretMark, secretMask } from './api-secret-mask.ts';

const secret = 'pä$$/w+rd "<&\'> =?\\x~';
const mask = secretMask([secret]);
const base64 = (text: string, encoding: 'base64' | 'base64url' = 'base64') =>
  Buffer.from(text).toString(encoding);

describe('secretMask', () => {
  it.each([
    ['as it is', secret],
    ['URL-encoded', encodeURIComponent(secret)],
    [
      'URL-encoded in lower case',
      encodeURIComponent(secret).replace(/%../g, (x) => x.toLowerCase()),
    ],
    ['in a query', new URLSearchParams({ a: secret }).toString().slice(2)],
    ['in JSON', JSON.stringify(secret).slice(1, -1)],
    ['in JSON with slashes escaped', JSON.stringify(secret).slice(1, -1).replaceAll('/', '\\/')],
    ['in ASCII JSON', JSON.stringify(secret).slice(1, -1).replaceAll('ä', '\\u00e4')],
    ['in hexadecimal', Buffer.from(secret).toString('hex')],
    ['in HTML', 'pä$$/w+rd &quot;&lt;&amp;&#39;&gt; =?\\x~'],
    [
      'percent-encoded wholly',
      [...Buffer.from('\0tok~n')].map((byte) => `%${byte.toString(16).padStart(2, '0')}`).join(''),
    ],
  ])('masks a secret %s', (_how, form) => {
    const masked = secretMask([secret, '\0tok~n'])(`before ${form} after`);
    expect(masked).toBe(`before ${secretMark} after`);
  });

  it.each(['', 'a', 'ab', 'abc', 'user:', 'admin:'])('masks base64 after %j', (before) => {
    for (const after of ['', 'x', 'yz', '\n']) {
      for (const encoding of ['base64', 'base64url'] as const) {
        const masked = mask(base64(before + secret + after, encoding));
        const rest = masked.split(secretMark);
        expect(rest).toHaveLength(2);
        // Nothing stays but the neighbours and at most one shared character on each side.
        expect(rest.join('').length).toBeLessThanOrEqual(base64(before + after).length + 4);
      }
    }
  });

  it('masks every place, and the longer of two secrets that overlap', () => {
    const both = secretMask(['token-1', 'token-1-and-more']);
    expect(both('token-1-and-more token-1 token-1')).toBe(
      `${secretMark} ${secretMark} ${secretMark}`,
    );
  });

  it('leaves other text unchanged', () => {
    const plain = 'The token of user admin is 12.';
    expect(secretMask(['', 'of', '12', 'long-enough'])(plain)).toBe(plain);
    expect(secretMask([])(plain)).toBe(plain);
  });
});
