import type { Passage } from '@tallyhand/agent-runtime/engine';
import { describe, expect, it } from 'vitest';
import { fusedRanks } from './fuse-ranks.ts';

const passage = (text: string): Passage => ({
  articleId: text,
  articleVersion: 1,
  articleTitle: 'Notes',
  ordinal: 0,
  heading: null,
  text,
});
const list = (...texts: string[]) => texts.map(passage);
const byWords = (coverage: number, ...texts: string[]) =>
  texts.map((text) => ({ passage: passage(text), coverage }));
const textsOf = (passages: readonly Passage[]) => passages.map(({ text }) => text);

describe('fusedRanks', () => {
  it('puts a passage that both lists have before those that one has', () => {
    const fused = fusedRanks(byWords(1, 'words', 'both'), list('meaning', 'both'));
    expect(textsOf(fused)).toEqual(['both', 'meaning', 'words']);
  });

  it('puts a passage with few words of the question behind the closest by meaning', () => {
    const meaning = list('closest', 'next', 'third');
    const fused = (coverage: number) => textsOf(fusedRanks(byWords(coverage, 'words'), meaning));
    expect(fused(1)).toEqual(['closest', 'words', 'next', 'third']);
    expect(fused(0.2)).toEqual(['closest', 'next', 'third', 'words']);
  });

  it('keeps the order of a single list', () => {
    expect(textsOf(fusedRanks(byWords(0.5, 'a', 'b'), []))).toEqual(['a', 'b']);
    expect(textsOf(fusedRanks([], list('a', 'b')))).toEqual(['a', 'b']);
  });
});
