import { describe, expect, it } from 'vitest';
import { nextQuery } from './pages.ts';

describe('the link to the next page', () => {
  it.each([
    ['</api/tasks?limit=2&cursor=b>; rel="next"', { limit: '2', cursor: 'b' }],
    ['</api/tasks?cursor=a>; rel="prev", </api/tasks?cursor=b>; rel="next"', { cursor: 'b' }],
    ['<https://tallyhand.example/api/tasks?cursor=b>; title="x"; rel=next', { cursor: 'b' }],
    ['</api/tasks?cursor=b>; title="a, b; rel=prev"; rel="last next"', { cursor: 'b' }],
    // Of another address only the query counts.
    ['<https://elsewhere.example/?cursor=b>; rel="next"', { cursor: 'b' }],
  ])('is the query of %s', (link, query) => {
    expect(nextQuery(link, { cursor: 'a' })).toEqual(query);
  });

  it.each([
    null,
    '',
    '</api/tasks?cursor=b>; rel="prev"',
    'nonsense',
    '<a>;;; rel=nexts',
    '<a>; title="rel=next"',
  ])('is absent in %s', (link) => {
    expect(nextQuery(link, {})).toBeNull();
  });

  it('ends a list that leads back to the same page', () => {
    const link = '</api/history?limit=100&after=7>; rel="next"';
    expect(nextQuery(link, { limit: '100', after: '7' })).toBeNull();
    expect(nextQuery(link, { after: '7' })).toEqual({ limit: '100', after: '7' });
  });

  it('is refused without a query, which would begin again', () => {
    expect(() => nextQuery('</api/tasks>; rel="next"', {})).toThrow('has no query');
  });
});
