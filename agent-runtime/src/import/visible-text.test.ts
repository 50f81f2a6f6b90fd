import { describe, expect, it } from 'vitest';
import { visibleText } from './visible-text.ts';

describe('visibleText', () => {
  it.each([
    ['line ends', 'a\r\nb\rc\u2028d\u2029e\u0085f', 'a\nb\nc\nd\ne\nf'],
    ['control characters', 'a\u0000b\u0007c\u001b[31md\u009f', 'abc[31md'],
    ['zero-width characters', 'a\u200bb\u2060c\ufeffd\u00ade', 'abcde'],
    ['joiners between Latin letters', 'pass\u200cwo\u200drd', 'password'],
    ['rows of joiners', '\u{1f468}\u200d\u200c\u200d\u200c\u{1f469}', '\u{1f468}\u200d\u{1f469}'],
    ['direction marks', 'a\u202eb\u202c\u2066c\u2069\u200fd', 'abcd'],
    ['tags', `a${String.fromCodePoint(0xe0068, 0xe0069)}b`, 'ab'],
    ['selectors that carry bytes', `a${String.fromCodePoint(0xe0100, 0xe01ef)}b`, 'ab'],
    ['fillers', 'a\u3164\u115f\u034fb', 'ab'],
    ['lone surrogates', 'a\ud800b', 'a\ufffdb'],
  ])('cleans %s', (_name, text, expected) => {
    expect(visibleText(text)).toBe(expected);
  });

  it.each([
    ['a family', '\u{1f468}\u200d\u{1f469}\u200d\u{1f467}'],
    ['a heart in colour', '\u2764\ufe0f'],
    ['Persian', '\u0645\u06cc\u200c\u062e\u0648\u0627\u0647\u0645'],
    ['Sinhala', '\u0DC1\u0DCA\u200D\u0DBB\u0DD3'],
    ['tabs and lines', 'a\tb\n\n\nc'],
  ])('keeps %s', (_name, text) => {
    expect(visibleText(text)).toBe(text);
  });
});
