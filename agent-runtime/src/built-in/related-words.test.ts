import { describe, expect, it } from 'vitest';
import { formsOf, isRelated } from './related-words.ts';

describe('related words', () => {
  it('join words for the same, in any of their forms', () => {
    expect(isRelated('wag', 'salar')).toBe(true);
    expect(formsOf('wages')).toEqual(expect.arrayContaining(['salary', 'pay']));
  });

  it('lead from a kind to what is of it, and not back', () => {
    expect(formsOf('colour')).toContain('red');
    expect(formsOf('red')).not.toContain('colour');
    expect(formsOf('red')).not.toContain('green');
  });

  it('know the irregular forms of a word', () => {
    expect(formsOf('children')).toContain('child');
    expect(formsOf('lose')).toContain('lost');
  });

  it('are few for each word, as each of them is searched for', () => {
    for (const word of ['animal', 'food', 'pay', 'right', 'charge', 'work', 'month']) {
      expect(formsOf(word).length).toBeLessThanOrEqual(20);
    }
  });

  it('are none for a word that is not in the list', () => {
    expect(formsOf('zyzzyva')).toEqual([]);
    expect(isRelated('zyzzyva', 'zyzzyva')).toBe(false);
  });
});
