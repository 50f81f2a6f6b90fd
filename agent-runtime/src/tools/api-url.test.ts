import { describe, expect, it } from 'vitest';
import { isBelow, ToolCallRefused, urlBelow } from './api-url.ts';

const base = 'https://api.test/v1';

describe('urlBelow', () => {
  it.each([
    [base, 'orders', 'https://api.test/v1/orders'],
    [base, '/orders', 'https://api.test/v1/orders'],
    [`${base}/`, '/orders/', 'https://api.test/v1/orders/'],
    ['https://api.test', '/orders', 'https://api.test/orders'],
    [base, '', 'https://api.test/v1'],
    [`${base}/`, '/', 'https://api.test/v1/'],
    [base, '/a b/ü', 'https://api.test/v1/a%20b/%C3%BC'],
    [base, '/groups/team%2Fproject', 'https://api.test/v1/groups/team%2Fproject'],
    [base, '/orders:batch/v1.2/...', 'https://api.test/v1/orders:batch/v1.2/...'],
    [base, '/100%/x', 'https://api.test/v1/100%/x'],
    [base, '/a?b=c&b=d', 'https://api.test/v1/a?b=c&b=d&x=y+z'],
    [`${base}?format=json`, '/a', 'https://api.test/v1/a?format=json&x=y+z'],
  ])('joins %s and %s', (baseUrl, path, expected) => {
    const withQuery = expected.includes('?');
    expect(urlBelow(baseUrl, path, withQuery ? [['x', 'y z']] : []).href).toBe(expected);
  });

  it.each([
    '..',
    '/..',
    '../x',
    '/a/../../x',
    '/a/..',
    '/./x',
    '/%2e%2e/x',
    '/%2E./x',
    '/.%2e%2fx',
    '/a%2f..%2f..%2fx',
    '/a%2f%2e%2e%2fx',
    '/%252e%252e/x',
    '/%25252e%25252e%25252fx',
    '/%2525252525252e%2525252525252e/',
    '/a/..;x=y/b',
    '/a/..%3bx/b',
    '/a/.. /b',
    '/a\\..\\b',
    '/a%5c..%5cb',
    '/a%5cb',
    '/%ff%2e%2e/%ff/%2e%2e/',
    '/a/.\t./b',
    '/a\r\nHost: evil',
    '/a%0d%0ax',
    '/a%00',
    '/a#b',
    'https://evil.test/',
    'https://api.test/v1/orders',
    '//evil.test/x',
    '/\\evil.test',
    '\\\\evil.test',
    'http:/evil.test',
  ])('refuses %j', (path) => {
    expect(() => urlBelow(base, path, [])).toThrow(ToolCallRefused);
  });

  it.each(['@evil.test', '.evil.test', ':80', ':password@evil.test/', 'evil'])(
    'never changes the host: %s',
    (path) => {
      for (const from of ['https://api.test', base]) {
        expect(urlBelow(from, path, []).host).toBe('api.test');
      }
    },
  );

  it.each(['', 'orders', 'ftp://api.test', 'file:///etc/passwd', 'http://'])(
    'refuses the base %j',
    (baseUrl) => expect(() => urlBelow(baseUrl, '/', [])).toThrow('no base URL'),
  );

  it('keeps the query of the base URL', () => {
    for (const [path, query] of [
      ['/a?key=x', []],
      ['/a', [['key', 'x']]],
    ] as const) {
      expect(() =>
        urlBelow(
          `${base}?key=own`,
          path,
          query.map(([a, b]) => [a, b]),
        ),
      ).toThrow('"key"');
    }
  });

  it('refuses an address that is too long', () => {
    expect(() => urlBelow(base, '/a', [['q', 'x'.repeat(8_000)]])).toThrow('too long');
  });
});

describe('isBelow', () => {
  it.each([
    ['https://api.test/v1', true],
    ['https://api.test/v1/', true],
    ['https://api.test/v1/x?y', true],
    ['https://api.test/v10', false],
    ['https://api.test/', false],
    ['https://api.test/v1/../x', false],
    ['https://api.test/v1/%252e%252e/x', false],
    ['http://api.test/v1/x', false],
    ['https://api.test:8443/v1/x', false],
    ['https://api.test.evil.test/v1/x', false],
  ])('%s: %s', (url, expected) => {
    expect(isBelow(new URL(url), base)).toBe(expected);
  });
});
