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
const textsOf = (passages: readonly Passage[]) => passages.map(({ text }) => text);

describe('fusedRanks', () => {
  it('puts a passage that both lists have before those that one has', () => {
    const fused = fusedRanks(list('words', 'both'), list('meaning', 'both'));
    expect(textsOf(fused)).toEqual(['both', 'meaning', 'words']);
  });

  it('keeps the order of a single list', () => {
    expect(textsOf(fusedRanks(list('a', 'b'), []))).toEqual(['a', 'b']);
    expect(textsOf(fusedRanks([], list('a', 'b')))).toEqual(['a', 'b']);
  });
});
