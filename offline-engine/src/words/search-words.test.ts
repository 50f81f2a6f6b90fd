import { describe, expect, it } from 'vitest';
import { searchWordsOf } from './search-words.ts';

const entryOf = (question: string, word: string) =>
  searchWordsOf(question).find((entry) => entry.split(' ')[0] === word) ?? '';

describe('the words that a question is searched for', () => {
  it('are its subjects, each once', () => {
    const words = searchWordsOf('Where is the zyzzyva, and how old is the zyzzyva?');
    expect(words.map((entry) => entry.split(' ')[0])).toEqual(['zyzzyva', 'old']);
  });

  it.each([
    ['Was kostet der Versand?', 'versand', 'lieferung'],
    ['Où puis-je garer ma voiture ?', 'garer', 'parking'],
    ['How much is the wage?', 'wage', 'salary'],
    ['返品できますか？', '返品', '返却'],
  ])('include their synonyms: %s', (question, word, other) => {
    expect(entryOf(question, word).split(' ')).toContain(other);
  });

  it('are searched with and without their accents', () => {
    expect(entryOf('Où est la réception ?', 'reception')).toMatch(/^reception réception/);
  });

  it('are 32 at most, and without others where they are many', () => {
    const many = Array.from({ length: 40 }, (_, at) => `zyzzyva${at}`).join(' ');
    const words = searchWordsOf(`Which wage? ${many}`);
    expect(words).toHaveLength(32);
    expect(words).toContain('wage');
  });
});
