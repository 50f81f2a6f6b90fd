import type { HistoryEntry } from '@tallyhand/contracts/kernel/changes';
import { describe, expect, it } from 'vitest';
import { assignedThen, changesSince, fieldsOf } from './object-fields.ts';

describe('the fields of an object', () => {
  it('are named as in its history, without fields that are not its texts', () => {
    const fields = fieldsOf({
      id: '1',
      name: 'Orders',
      config: { baseUrl: 'https://a.example', extras: {} },
      credentialNames: ['token'],
      version: 3,
      createdAt: '2026-11-21T09:00:00Z',
    });
    expect(fields).toEqual([
      ['name', 'Orders'],
      ['config.baseUrl', 'https://a.example'],
      ['config.extras', {}],
      ['credentials', ['token']],
    ]);
  });
});

const entry = (changes: HistoryEntry['changes']) => ({ changes }) as HistoryEntry;
const articles = (before: string[], after: string[]) =>
  entry([{ field: 'articles', before, after }]);

describe('the fields of an article', () => {
  it('end with its text', () => {
    const fields = fieldsOf({ title: 'Returns', content: '# Returns', tags: ['a'] });
    expect(fields.map(([name]) => name)).toEqual(['title', 'tags', 'content']);
  });
});

describe('the assignments of an agent', () => {
  const newestFirst = [entry([]), articles(['a'], ['a', 'b']), entry([]), articles([], ['a'])];
  it.each([
    [0, ['a', 'b']],
    [1, ['a', 'b']],
    [2, ['a']],
    [3, ['a']],
  ])('after change %i are those of the newest change until then', (index, expected) => {
    expect(assignedThen(newestFirst, index)).toEqual([['articles', expected]]);
  });
  it('before the oldest known change are those that it started with', () => {
    expect(assignedThen(newestFirst.slice(0, 3), 2)).toEqual([['articles', ['a']]]);
  });
  it('are left out when no known change names them', () => {
    expect(assignedThen([entry([])], 0)).toEqual([]);
  });
});

describe('the changes since a version', () => {
  const made = (kind: HistoryEntry['kind'], version: number | null) =>
    ({ kind, version }) as HistoryEntry;
  const [five, four, three] = [made('changed', 5), made('changed', 4), made('changed', 3)];
  const [paused, activated] = [made('paused', null), made('activated', null)];
  const at = (version: number, isActive = true) => ({ version, isActive });

  it('are those that made later versions', () => {
    expect(changesSince([five, four, three], at(3), at(5))).toEqual([five, four]);
    expect(changesSince([five, four], at(3), at(5))).toEqual([five, four]);
    expect(changesSince([three], at(3), at(3))).toEqual([]);
  });
  it('have the last pause or activation if it made a difference', () => {
    const entries = [paused, activated, made('paused', null), three];
    expect(changesSince(entries, at(3), at(3, false))).toEqual([paused]);
    expect(changesSince([activated, paused, three], at(3), at(3))).toEqual([]);
    expect(changesSince([four, paused, three], at(3, false), at(4, false))).toEqual([four]);
  });
  it('have neither assignments, nor deletions that were undone', () => {
    const others = [made('restored', null), made('deleted', null)];
    expect(
      changesSince([made('resources-assigned', null), ...others, three], at(3), at(3)),
    ).toEqual([]);
  });
});
