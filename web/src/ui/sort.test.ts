import { createElement } from 'react';
import { renderToStaticMarkup } from 'react-dom/server';
import { describe, expect, it } from 'vitest';
import { type Sort, sortIn, sortText, useSorting } from './sort.ts';

type Row = { name: string | null; credits: number | null; at: string | null };
const row = (values: Partial<Row>): Row => ({ name: null, credits: null, at: null, ...values });

const columns = [
  { key: 'name', sortBy: { text: ({ name }: Row) => name } },
  { key: 'credits', sortBy: { number: ({ credits }: Row) => credits } },
  { key: 'at', sortBy: { time: ({ at }: Row) => at } },
  { key: 'note' },
];

/** What the hook of a table gives. */
function sorting(rows: readonly Row[], sort: Sort | undefined, language: string) {
  const chosen: (Sort | undefined)[] = [];
  const choose = (next: Sort | undefined) => chosen.push(next);
  let given: ReturnType<typeof useSorting<Row>> | undefined;
  function Table() {
    given = useSorting(columns, rows, { sort, choose }, language);
    return null;
  }
  renderToStaticMarkup(createElement(Table));
  return { ...(given ?? expect.fail()), chosen };
}

const sorted = (rows: readonly Row[], text: string, language = 'de') =>
  sorting(rows, sortIn(text, columns), language).rows;
const names = (written: readonly (string | null)[], text: string, language?: string) =>
  sorted(
    written.map((name) => row({ name })),
    text,
    language,
  ).map(({ name }) => name);

describe('sorted rows', () => {
  it('go by the alphabet of the language, capital letters or not', () => {
    const written = ['Zoe', 'ärger', 'Anna', 'Öl', 'ost'];
    expect(names(written, 'name')).toEqual(['Anna', 'ärger', 'Öl', 'ost', 'Zoe']);
    expect(names(written, '-name')).toEqual(['Zoe', 'ost', 'Öl', 'ärger', 'Anna']);
    expect(names(written, 'name', 'sv')).toEqual(['Anna', 'ost', 'Zoe', 'ärger', 'Öl']);
  });

  it('go by the numbers within texts', () => {
    expect(names(['Agent 10', 'Agent 9'], 'name')).toEqual(['Agent 9', 'Agent 10']);
  });

  it('have missing values at the end, in either order', () => {
    expect(names([null, 'B', null, 'A'], 'name')).toEqual(['A', 'B', null, null]);
    expect(names([null, 'B', null, 'A'], '-name')).toEqual(['B', 'A', null, null]);
  });

  it('go by amounts, however great, and by moments, however they are written', () => {
    const rows = [100, 9, Number.POSITIVE_INFINITY, -3].map((credits) => row({ credits }));
    const credits = sorted(rows, '-credits').map((each) => each.credits);
    expect(credits).toEqual([Number.POSITIVE_INFINITY, 100, 9, -3]);
    const moments = ['2026-11-21T10:00:00+02:00', '2026-11-21T09:00:00.5Z', '2026-11-21T09:00:00Z'];
    const times = sorted(
      moments.map((at) => row({ at })),
      'at',
    );
    expect(times.map(({ at }) => moments.indexOf(at ?? ''))).toEqual([0, 2, 1]);
  });

  it('stay as they were where they are equal, or nothing is chosen', () => {
    const rows = [row({ name: 'B', credits: 1 }), row({ name: 'A', credits: 1 })];
    expect(sorted(rows, 'credits')).toEqual(rows);
    expect(sorted(rows, '-credits')).toEqual(rows);
    expect(sorted(rows, '')).toEqual(rows);
  });
});

describe('a click on the head of a column', () => {
  const clicks = (key: string) => {
    const seen: (Sort | undefined)[] = [{ key: 'another', direction: 'ascending' }];
    for (let click = 0; click < 4; click++) {
      const { toggle, chosen } = sorting([row({ name: 'A' })], seen.at(-1), 'de');
      toggle(key);
      seen.push(chosen[0]);
    }
    return seen.slice(1).map((sort) => sort && sortText(sort));
  };

  it('begins texts with A, and amounts and times with the greatest', () => {
    expect(clicks('name')).toEqual(['name', '-name', undefined, 'name']);
    expect(clicks('credits')).toEqual(['-credits', 'credits', undefined, '-credits']);
    expect(clicks('at')).toEqual(['-at', 'at', undefined, '-at']);
  });
});

describe('a sort in an address', () => {
  it('means one of the columns that sort, or nothing', () => {
    expect(sortIn('-at', columns)).toEqual({ key: 'at', direction: 'descending' });
    for (const unknown of ['', '-', 'note', 'At', '--at', 'at,name', 'toString']) {
      expect(sortIn(unknown, columns)).toBeUndefined();
    }
  });
});
