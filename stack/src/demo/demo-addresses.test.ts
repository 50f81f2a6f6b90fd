import { describe, expect, it } from 'vitest';
import { demoAddresses } from './caller.ts';

const at = (callUrl: string, openUrl = callUrl) => ({ callUrl, openUrl });

describe('the demo', () => {
  it.each<[string, NodeJS.ProcessEnv, ReturnType<typeof at>]>([
    ['without settings', {}, at('http://127.0.0.1:8080')],
    ['with PORT', { PORT: '9123' }, at('http://127.0.0.1:9123')],
    ['with HOST', { HOST: '::1', PORT: '9123' }, at('http://[::1]:9123')],
    ['with a HOST for all addresses', { HOST: '0.0.0.0' }, at('http://localhost:8080')],
    [
      'with PUBLIC_URL',
      { PORT: '9123', PUBLIC_URL: 'https://tallyhand.example/' },
      at('http://127.0.0.1:9123', 'https://tallyhand.example'),
    ],
  ])('calls the product where npm start has it %s', (_, env, expected) => {
    expect(demoAddresses(undefined, env)).toEqual(expected);
  });

  it('calls the given address, whatever the settings are', () => {
    const given = demoAddresses('https://shop.example/auth', { PORT: '9123' });
    expect(given).toEqual(at('https://shop.example'));
  });

  it('names the fault of an address or a setting', () => {
    for (const wrong of ['', '8080', 'localhost', 'localhost:8080', 'ftp://localhost']) {
      expect(() => demoAddresses(wrong, {})).toThrow(`${wrong} is not an address`);
    }
    expect(() => demoAddresses(undefined, { PORT: 'many' })).toThrow('PORT');
  });
});
