import { describe, expect, it } from 'vitest';
import { matchingArticles } from './matching-articles.ts';

const refunds = { title: 'Refunds', tags: ['Money', 'policy'] };
const travel = { title: 'Travel', tags: [] };

describe('the search of the knowledge base', () => {
  it('matches titles in whatever case', () => {
    expect(matchingArticles([refunds, travel], 'TRAV')).toEqual([travel]);
  });
  it('matches any tag', () => {
    expect(matchingArticles([refunds, travel], 'money')).toEqual([refunds]);
  });
  it('shows all without words', () => {
    expect(matchingArticles([refunds, travel], '  ')).toEqual([refunds, travel]);
  });
});
