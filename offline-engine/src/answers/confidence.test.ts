import { describe, expect, it } from 'vitest';
import { confidenceOf, confidenceWanted } from './evidence.ts';

const good = {
  lead: 0.25,
  coverage: 0.9,
  unmet: 0,
  isOfKind: true,
  terms: 3,
  words: 12,
};

describe('how likely a place is to answer a question', () => {
  it('is enough where it meets the question and leaves the others behind', () => {
    expect(confidenceOf(good)).toBeGreaterThan(confidenceWanted.question);
  });

  it.each([
    ['the next passage is as good', { lead: 0 }],
    ['half of the words asked for are missing', { unmet: 0.5, coverage: 0.5 }],
    ['no sum stands where one is asked for', { isOfKind: false }],
    ['it is about a single word', { terms: 1 }],
    ['so many words meet anything', { words: 200 }],
  ])('is too little where %s', (_, sign) => {
    expect(confidenceOf({ ...good, ...sign })).toBeLessThan(confidenceWanted.question);
  });

  it('is between 0 and 1', () => {
    const best = { ...good, lead: 9, coverage: 1, terms: 24, words: 0 };
    const worst = { ...good, lead: 0, coverage: 0, unmet: 1, words: 999 };
    expect(confidenceOf(best)).toBeLessThan(1);
    expect(confidenceOf(worst)).toBeGreaterThan(0);
  });
});
