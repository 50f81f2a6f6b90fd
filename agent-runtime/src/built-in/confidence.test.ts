import { describe, expect, it } from 'vitest';
import { confidenceOf, confidenceWanted } from './confidence.ts';

const good = { lead: 0.3, coverage: 0.9, unmet: 0, terms: 3, words: 12 };

describe('how likely a place is to answer a question', () => {
  it('is enough where it meets the question and leaves the others behind', () => {
    expect(confidenceOf(good)).toBeGreaterThan(confidenceWanted);
  });

  it.each([
    ['the next passage is as good', { lead: 0 }],
    ['nobody uses half of the words asked for', { unmet: 0.5, coverage: 0.5 }],
    ['it is about a single word', { terms: 1 }],
    ['so many words meet anything', { words: 200 }],
  ])('is too little where %s', (_, sign) => {
    expect(confidenceOf({ ...good, ...sign })).toBeLessThan(confidenceWanted);
  });

  it('lies between 0 and 1', () => {
    expect(confidenceOf({ lead: 9, coverage: 1, unmet: 0, terms: 24, words: 0 })).toBeLessThan(1);
    expect(confidenceOf({ lead: 0, coverage: 0, unmet: 1, terms: 1, words: 999 })).toBeGreaterThan(
      0,
    );
  });
});
