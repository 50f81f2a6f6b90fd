import { describe, expect, it } from 'vitest';
import { groupsOf, matching, piecesOf } from './choices.ts';

const choice = (title: string) => ({ kind: 'page' as const, to: `/${title}`, title, detail: null });

describe('pages and actions', () => {
  it('match when their title holds all words, in whatever order and case', () => {
    const all = [choice('Knowledge Base'), choice('Billing')];
    expect(matching(all, 'base KNOW')).toEqual([all[0]]);
    expect(matching(all, 'base billing')).toEqual([]);
  });
});

describe('search results', () => {
  it('lead to their pages', () => {
    const kinds = ['agent', 'article', 'playbook', 'tool', 'task', 'session', 'member'] as const;
    const hits = [{ id: '1', title: 'One', detail: null }];
    const groups = groupsOf(kinds.map((kind) => ({ kind, hits })));
    expect(groups.flatMap(({ choices }) => choices.map(({ to }) => to))).toEqual([
      '/agents/1/execute',
      '/knowledge?article=1',
      '/knowledge?tab=playbooks&playbook=1',
      '/tools?history=1',
      '/tasks?task=1',
      '/autonomous?session=1',
      '/team#1',
    ]);
  });
});

describe('a title in pieces', () => {
  const shown = (title: string, typed: string) =>
    piecesOf(title, typed)
      .map(({ text, isMatch }) => (isMatch ? `[${text}]` : text))
      .join('');

  it('marks each word that was typed, as the title writes it', () => {
    expect(shown('Refund a customer', 'CUST ref')).toBe('[Ref]und a [cust]omer');
  });

  it('treats special characters of patterns literally', () => {
    expect(shown('100% (x|y) [a-z] \\d', '(x|y) [a-z] \\d')).toBe('100% [(x|y)] [[a-z]] [\\d]');
  });

  it('leaves a title whole where nothing matches, or nothing was typed', () => {
    expect(piecesOf('Straße', 'xyz')).toEqual([{ at: 0, text: 'Straße', isMatch: false }]);
    expect(piecesOf('Straße', ' ')).toEqual([{ at: 0, text: 'Straße', isMatch: false }]);
  });
});
