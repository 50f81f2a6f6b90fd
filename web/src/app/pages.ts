import type { AnswerMeta } from './base-query.ts';

/** One page of a list, and the cursor of the page that follows. */
export type ListPage<Entry> = { entries: Entry[]; next: string | undefined };

/** The query of a page; the first one has no cursor. */
export const pageAt = (limit: number, cursor: string | null) => ({
  limit,
  ...(cursor !== null && { cursor }),
});

/** How answers become pages, and a page leads to the next one. */
export const inPages = <Entry>() => ({
  transformResponse: (entries: Entry[], meta: AnswerMeta | undefined): ListPage<Entry> => ({
    entries,
    next: meta?.next,
  }),
  infiniteQueryOptions: {
    initialPageParam: null,
    getNextPageParam: ({ next }: ListPage<Entry>) => next,
  },
});
