import { describe, expect, it } from 'vitest';
import { fullPage } from './pages.ts';

/** Answers to calls in turn; `asked` records their queries. */
function answering(answers: readonly (readonly number[])[], asked: object[] = []) {
  return (page: object) => {
    const data = answers[asked.length] ?? [];
    asked.push(page);
    const next = asked.length < answers.length ? `after${asked.length}` : undefined;
    return { data, meta: next === undefined ? {} : { next } };
  };
}

describe('a page of a search', () => {
  it('is fetched until it is full', async () => {
    const asked: object[] = [];
    const page = await fullPage(3, 'begin', answering([[1], [], [2, 3], [4]], asked));
    expect(page).toEqual({ data: { entries: [1, 2, 3], next: 'after3' } });
    expect(asked).toEqual([
      { limit: 3, cursor: 'begin' },
      { limit: 2, cursor: 'after1' },
      { limit: 2, cursor: 'after2' },
    ]);
  });

  it('is shorter when the list ends', async () => {
    const page = await fullPage(3, null, answering([[1], [2]]));
    expect(page).toEqual({ data: { entries: [1, 2], next: undefined } });
  });

  it('offers to continue after a number of calls that found nothing', async () => {
    const asked: object[] = [];
    const page = await fullPage(3, null, answering(Array(50).fill([]), asked));
    expect(page).toEqual({ data: { entries: [], next: 'after20' } });
    expect(asked).toHaveLength(20);
  });

  it('is a problem where a call fails', async () => {
    const error = { status: 503 } as never;
    expect(await fullPage(3, null, () => ({ error }))).toEqual({ error });
  });
});
