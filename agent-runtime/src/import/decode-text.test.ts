import { describe, expect, it } from 'vitest';
import { declaredCharset, decodeText } from './decode-text.ts';

const text = 'Grüße, Ελλάδα';
const utf16be = (value: string) => Buffer.from(value, 'utf16le').swap16();
const latin = (value: string) => Buffer.from(value, 'latin1');

describe('decodeText', () => {
  it.each([
    ['UTF-8', Buffer.from(text), 'utf-8'],
    ['UTF-8 with a mark', Buffer.from(`\ufeff${text}`), 'utf-8'],
    ['UTF-16, little end first', Buffer.from(`\ufeff${text}`, 'utf16le'), 'utf-16le'],
    ['UTF-16, big end first', utf16be(`\ufeff${text}`), 'utf-16be'],
  ])('reads %s', (_name, bytes, encoding) => {
    expect(decodeText(bytes)).toEqual({ text, encoding, isGuessed: false });
  });

  it('reads invalid UTF-8 as Windows-1252, and reports the guess', () => {
    const bytes = Buffer.from([0x93, 0x47, 0xfc, 0xdf, 0x65, 0x94, 0x20, 0x80]);
    expect(decodeText(bytes)).toEqual({
      text: '“Güße” €',
      encoding: 'windows-1252',
      isGuessed: true,
    });
  });

  it.each([
    ['iso-8859-1', latin('caf\u00e9'), 'café'],
    ['windows-1251', Buffer.from([0xcf, 0xf0, 0xe8]), 'При'],
    ['shift_jis', Buffer.from([0x93, 0xfa, 0x96, 0x7b]), '日本'],
  ])('reads %s when it is declared', (charset, bytes, expected) => {
    expect(decodeText(bytes, charset)).toMatchObject({ text: expected, isGuessed: false });
  });

  it('trusts a byte order mark more than the declaration', () => {
    expect(decodeText(Buffer.from(`\ufeff${text}`), 'windows-1251').text).toBe(text);
  });

  it('replaces broken bytes of a page declared as UTF-8', () => {
    const bytes = Buffer.concat([Buffer.from('é'), Buffer.from([0xff])]);
    expect(decodeText(bytes, 'utf8')).toMatchObject({ text: 'é\ufffd', encoding: 'utf-8' });
  });

  it('does not mind an unknown charset', () => {
    expect(decodeText(Buffer.from(text), 'no-such-thing').text).toBe(text);
  });
});

describe('declaredCharset', () => {
  it.each([
    ['<meta charset=windows-1251>', 'windows-1251'],
    ['<META CHARSET="ISO-8859-2" >', 'iso-8859-2'],
    ['<meta http-equiv="Content-Type" content="text/html; charset=gbk">', 'gbk'],
    ['<?xml version="1.0" encoding="iso-8859-1"?><html>', 'iso-8859-1'],
    ['<meta charset="utf-16">', 'utf-8'],
    ['<p>charset=x</p>', ''],
  ])('of %s', (html, charset) => {
    expect(declaredCharset(Buffer.from(html))).toBe(charset);
  });
});
