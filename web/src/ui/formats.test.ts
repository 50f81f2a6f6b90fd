import { languages } from '@tallyhand/contracts/languages';
import { describe, expect, it } from 'vitest';
import { dateFormat, numberFormat } from './formats.ts';

const sources = import.meta.glob<string>('../**/*.{ts,tsx}', {
  query: '?raw',
  import: 'default',
  eager: true,
});
const MAKES_ONE = /\bIntl\.(\w+Format|Collator)\(|\.toLocale(Date|Time)?String\(/;

describe('a format of a language', () => {
  it('is made once for the same options, and differs with them', () => {
    const percent = () => numberFormat('de', { style: 'percent' });
    expect(percent()).toBe(percent());
    expect(percent().format(0.5)).toMatch(/^50\s%$/);
    expect(numberFormat('de').format(1234.5)).toBe('1.234,5');
    expect(numberFormat('en').format(1234.5)).toBe('1,234.5');
    const year = dateFormat('en', { year: 'numeric', timeZone: 'UTC' });
    expect(year.format(new Date('2026-11-22T00:00:00Z'))).toBe('2026');
  });

  it('writes numbers without separators as Intl does, in every language', () => {
    const numbers = [0, 7, 42, 999, 1_000, 12_345, -1, 0.5];
    for (const { code } of languages) {
      const intl = new Intl.NumberFormat(code);
      expect(numbers.map((each) => numberFormat(code).format(each))).toEqual(
        numbers.map((each) => intl.format(each)),
      );
    }
  });

  it('is created nowhere else', () => {
    const makers = Object.entries(sources)
      .filter(([file, text]) => !file.includes('.test.') && MAKES_ONE.test(text))
      .map(([file]) => file);
    expect(makers).toEqual(['./formats.ts']);
  });
});
