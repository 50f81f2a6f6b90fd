import { describe, expect, it } from 'vitest';
import { addressesIn, isSameSite, pageKey, target, withoutAddresses } from './addresses.ts';

describe('addressesIn', () => {
  it.each([
    [
      'See https://a.example/x, then http://b.example.',
      ['https://a.example/x', 'http://b.example/'],
    ],
    ['Look at (https://a.example/x_(y))!', ['https://a.example/x_(y)']],
    ['the prices of www.shop.co.uk/plans?a=1 please', ['https://www.shop.co.uk/plans?a=1']],
    ['https://a.example https://a.example', ['https://a.example/']],
    ['Write to info@shop.com about version 2.1.de-DE', []],
    ['file:///etc/passwd, ftp://a.example, javascript:alert(1)', []],
    ['https://user:secret@a.example/', []],
  ])('%s', (text, found) => {
    expect(addressesIn(text)).toEqual(found);
  });

  it('leaves a goal without them and the words that lead there', () => {
    expect(withoutAddresses('What does it cost? Look at https://a.example/')).toBe(
      'What does it cost?',
    );
    expect(withoutAddresses('Preise auf a.de und bei b.de vergleichen')).toBe(
      'Preise und vergleichen',
    );
  });
});

describe('pages and sites', () => {
  it.each([
    ['https://www.shop.example/a', 'http://shop.example/b', true],
    ['https://a.co.uk/', 'https://b.co.uk/', false],
    ['https://shop.example/', 'https://shop.example.evil.com/', false],
    ['http://127.0.0.1:4000/', 'http://127.0.0.1:5000/', false],
    ['http://10.0.0.1/', 'http://20.0.0.1/', false],
  ])('%s and %s', (one, other, isSame) => {
    expect(isSameSite(one, other)).toBe(isSame);
  });

  it('are the same without marks of advertisers, anchors and schemes', () => {
    expect(pageKey('https://a.example/x/?utm_source=y&b=1#top')).toBe(
      pageKey('http://a.example/x?b=1'),
    );
    expect(pageKey('https://a.example/x?b=2')).not.toBe(pageKey('https://a.example/x?b=1'));
  });

  it('keeps only links to web pages', () => {
    expect(target('/b', 'https://a.example/x')).toBe('https://a.example/b');
    for (const href of ['mailto:a@b.c', 'javascript:void(0)', 'file:///etc/passwd']) {
      expect(target(href, 'https://a.example/')).toBeNull();
    }
  });
});
