import { describe, expect, it } from 'vitest';
import { excerptOf, matchingArticles, withoutTitle } from './articles.ts';

const of = (content: string, title = 'Returns') => excerptOf({ title, content });

describe('the excerpt of an article', () => {
  it('is the beginning of its text in one line, without headings', () => {
    expect(of('## Labels\n\nWe send\n  one.')).toBe('We send one.');
    expect(of('# Labels')).toBe('Labels');
  });

  it('does not repeat the title above it', () => {
    expect(of('# returns \n\nWithin 30 days.')).toBe('Within 30 days.');
    expect(of('Returns\r\nWithin 30 days.')).toBe('Within 30 days.');
    expect(of('Returns are free.')).toBe('Returns are free.');
  });

  it('has at most 100 characters, whatever their kind', () => {
    expect(of('x'.repeat(100))).toBe('x'.repeat(100));
    expect(of('👋'.repeat(101))).toBe(`${'👋'.repeat(100)}…`);
  });
});

describe('the text of an article', () => {
  const below = (content: string) => withoutTitle({ title: 'Returns', content });

  it('does not repeat the title as its heading', () => {
    expect(below('# returns\n\nWithin 30 days.')).toBe('\nWithin 30 days.');
    expect(below('Returns\nare free.')).toBe('Returns\nare free.');
    expect(below('## Labels\nReturns')).toBe('## Labels\nReturns');
  });
});

const refunds = { title: 'Refunds', tags: ['Money', 'policy'] };
const travel = { title: 'Travel', tags: [] };

describe('the search of the knowledge base', () => {
  it('matches titles in whatever case', () => {
    expect(matchingArticles([refunds, travel], 'TRAV')).toEqual([travel]);
  });
  it('matches any tag', () => {
    expect(matchingArticles([refunds, travel], 'money')).toEqual([refunds]);
  });
  it('shows everything for an empty search', () => {
    expect(matchingArticles([refunds, travel], '  ')).toEqual([refunds, travel]);
  });
});
