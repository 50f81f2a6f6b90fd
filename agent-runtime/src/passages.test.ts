import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { type PassageText, splitIntoPassages } from './passages.ts';

const visible = (text: string) => text.replace(/\s+/g, '');
const split = (content: string, title = 'Title') => splitIntoPassages({ title, content });
const joined = (passages: PassageText[]) => visible(passages.map((one) => one.text).join(''));

/** Lines that are no heading in any notation. */
const proseLine = fc
  .string({ unit: 'grapheme', maxLength: 300 })
  .map((line) => `a${line.replace(/[#=\-*`~\r\n]/g, ' ')}`);
const prose = fc.array(fc.oneof(proseLine, fc.constant('')), { maxLength: 60 });

describe('splitIntoPassages', () => {
  it('loses no text but white space', () => {
    fc.assert(
      fc.property(prose, (lines) => {
        const content = lines.join('\n');
        expect(joined(split(content))).toBe(visible(content));
      }),
    );
  });

  it('keeps every passage within its bounds and counts from zero, whatever the text', () => {
    const marked = fc.array(
      fc.tuple(
        fc.constantFrom('', '# ', '## ', '- ', '1. ', '| ', '```', '> ', '**'),
        fc.string({ maxLength: 2_500 }),
      ),
      { maxLength: 40 },
    );
    fc.assert(
      fc.property(marked, (lines) => {
        const content = lines.map(([mark, text]) => `${mark}${text}`).join('\n');
        const passages = split(content);
        for (const [at, passage] of passages.entries()) {
          expect(passage.ordinal).toBe(at);
          expect(passage.text.length).toBeLessThanOrEqual(1_500);
          expect(passage.text.trim()).not.toBe('');
        }
        expect(split(content)).toEqual(passages);
      }),
    );
  });

  it('keeps the path of headings, and leaves out a first heading that repeats the title', () => {
    const content =
      '# Returns\n\nAll.\n\n## Exceptions\n\n### Food\n\nNone.\n\nFees\n----\n\nTwo euros.\n';
    expect(split(content, 'Returns')).toEqual([
      { ordinal: 0, heading: null, text: 'All.' },
      { ordinal: 1, heading: 'Exceptions > Food', text: 'None.' },
      { ordinal: 2, heading: 'Fees', text: 'Two euros.' },
    ]);
  });

  it('keeps a heading without text as text', () => {
    expect(split('# One\n\n# Two\n\n## Three')).toEqual([
      { ordinal: 0, heading: null, text: 'One' },
      { ordinal: 1, heading: 'Two', text: 'Three' },
    ]);
  });

  it('reads lines in capitals of plain text as headings, and no heading inside fenced code', () => {
    const passages = split('CHAPTER II\n\nIt rained.\n\n```\n# comment\n```\n');
    expect(passages).toEqual([
      { ordinal: 0, heading: 'CHAPTER II', text: 'It rained.\n\n```\n# comment\n```' },
    ]);
  });

  it('cuts long prose at sentences, to 600 to 900 characters', () => {
    const sentence =
      'The parcel left the warehouse on a Tuesday and came back three days later, unopened. ';
    const passages = split(sentence.repeat(200));
    for (const passage of passages.slice(0, -1)) {
      expect(passage.text.length).toBeGreaterThanOrEqual(600);
      expect(passage.text.length).toBeLessThanOrEqual(900);
      expect(passage.text.endsWith('.')).toBe(true);
    }
  });

  it('cuts Japanese and Chinese at their full stops', () => {
    const passages = split('返品は商品の到着後三十日以内に受け付けます。'.repeat(300));
    expect(passages.length).toBeGreaterThan(5);
    for (const passage of passages) {
      expect(passage.text.endsWith('。')).toBe(true);
      expect(passage.text.length).toBeLessThanOrEqual(900);
    }
  });

  it('never cuts a character in two', () => {
    for (const passage of split('🧗'.repeat(5_000))) expect(passage.text.isWellFormed()).toBe(true);
  });

  it('makes no passage of nothing', () => {
    expect(split('')).toEqual([]);
    expect(split(' \n\t\r\n ')).toEqual([]);
  });

  it.each([
    ['prose', 'The quick brown fox jumps over it. '],
    ['one word without end', 'x'],
    ['tiny sections', '# a\n\nb\n\n'],
    ['headings only', '# a\n'],
    ['full stops', '.'],
    ['line breaks', '\n'],
    ['list marks', '- \n'],
    ['spaces between letters', `a${' '.repeat(999)}`],
    ['fences', '```\n'],
    ['stars', '**\n\n'],
  ])('splits 400,000 characters of %s into few passages', (_, unit) => {
    const content = unit.repeat(Math.ceil(400_000 / unit.length)).slice(0, 400_000);
    const passages = split(content);
    expect(passages.length).toBeLessThan(1_500);
    for (const passage of passages) expect(passage.text.length).toBeLessThanOrEqual(1_500);
  });
});
