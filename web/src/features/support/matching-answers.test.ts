import { describe, expect, it } from 'vitest';
import { matchingAnswers } from './matching-answers.ts';

const sections = [
  { id: 'refunds', title: 'Refunds', blocks: ['A failed task costs no credit.'] },
  { id: 'credits', title: 'What is a credit?', blocks: [{ list: ['One task', 'Köln café'] }] },
  { id: 'api', title: 'Is there an API?', blocks: [{ code: 'curl' }] },
];
const found = (words: string) => matchingAnswers(sections, words).map(({ id }) => id);

describe('the search of the help page', () => {
  it('shows all questions without a search', () => {
    expect(found('  ')).toEqual(['refunds', 'credits', 'api']);
  });
  it('finds questions with all the words, titles first', () => {
    expect(found('credit')).toEqual(['credits', 'refunds']);
    expect(found('task credit failed')).toEqual(['refunds']);
    expect(found('nowhere')).toEqual([]);
  });
  it('ignores case and accents, and searches lists and code', () => {
    expect(found('KOLN Cafe')).toEqual(['credits']);
    expect(found('curl')).toEqual(['api']);
  });
});
