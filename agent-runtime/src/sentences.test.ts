import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { sentenceSpans } from './sentences.ts';

const sentences = (text: string) =>
  sentenceSpans(text).map(({ start, end }) => text.slice(start, end));

describe('sentenceSpans', () => {
  it.each([
    ['It rains. It pours! Does it?', ['It rains.', 'It pours!', 'Does it?']],
    ['Ask Dr. Weir, e.g. by phone. She knows.', ['Ask Dr. Weir, e.g. by phone.', 'She knows.']],
    ['It costs 4.50 euros. Cheap.', ['It costs 4.50 euros.', 'Cheap.']],
    ['“Go.” He went.', ['“Go.”', 'He went.']],
    ['返品できます。送料は無料です！本当？', ['返品できます。', '送料は無料です！', '本当？']],
    ['A line\nthat goes on. End.', ['A line\nthat goes on.', 'End.']],
    ['Not these:\n- ropes\n- food', ['Not these:', '- ropes', '- food']],
    ['1. Pack it.\n2. Post it.', ['1. Pack it.', '2. Post it.']],
    ['| a | b |\n|---|---|\n| 1 | 2 |', ['| a | b |', '|---|---|', '| 1 | 2 |']],
    ['', []],
  ])('splits %j', (text, expected) => {
    expect(sentences(text)).toEqual(expected);
  });

  it('loses nothing but white space and makes none longer than 600 characters', () => {
    fc.assert(
      fc.property(fc.string({ unit: 'grapheme', maxLength: 3_000 }), (text) => {
        const found = sentences(text);
        expect(found.join('').replace(/\s+/g, '')).toBe(text.replace(/\s+/g, ''));
        for (const one of found) expect(one.length).toBeLessThanOrEqual(600);
      }),
    );
  });
});
