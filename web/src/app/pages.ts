import type { AnswerOf } from '@tallyhand/contracts/kernel/endpoint';
import { LIST_LENGTH_MAX } from '@tallyhand/contracts/kernel/lists';
import { withMoments } from '../ui/periods.ts';
import type { Tag } from './api.ts';
import { type AnswerMeta, type AnyEndpoint, type ArgOf, type Call, call } from './base-query.ts';
import type { CallProblem } from './problem.ts';

/** One page of a list, and the cursor of the page that follows. */
export type ListPage<Entry> = { entries: Entry[]; next: string | undefined };

type PageQuery = { limit: number; cursor?: string };

/** The query of a page; the first one has no cursor. */
export const pageAt = (limit: number, cursor: string | null): PageQuery => ({
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

type EntryOf<E> = AnswerOf<E> extends readonly (infer Entry)[] ? Entry : never;

/** An infinite query of an endpoint. Changes of these tags make it again. */
export const readPages = <E extends AnyEndpoint, Arg = void>(
  endpoint: E,
  length: number,
  tags: readonly Tag[],
) => ({
  query: ({ queryArg, pageParam }: { queryArg: Arg; pageParam: string | null }) =>
    call(endpoint, { ...queryArg, ...pageAt(length, pageParam) } as ArgOf<E>),
  ...inPages<EntryOf<E>>(),
  providesTags: tags,
});

/** Calls that are made for one page of a search. */
const CALLS_MAX = 20;

type Answer =
  | { data: unknown; error?: undefined; meta?: AnswerMeta }
  | { data?: undefined; error: CallProblem; meta?: AnswerMeta };

/**
 * One page of a list whose answers a search may leave short or empty: calls again until the page is
 * full, the list ends, or the limit of calls is reached.
 */
export async function fullPage<Entry>(
  length: number,
  cursor: string | null,
  ask: (page: PageQuery) => Answer | PromiseLike<Answer>,
): Promise<{ data: ListPage<Entry> } | { error: CallProblem }> {
  const entries: Entry[] = [];
  let next = cursor ?? undefined;
  for (let calls = 0; calls < CALLS_MAX; calls += 1) {
    const answer = await ask(pageAt(length - entries.length, next ?? null));
    if (answer.error) return { error: answer.error };
    entries.push(...(answer.data as Entry[]));
    next = answer.meta?.next;
    if (next === undefined || entries.length >= length) break;
  }
  return { data: { entries, next } };
}

/** The filters of a list, as an address holds them. */
type ListFilter = Readonly<Record<string, string | undefined>> | ReturnType<VoidFunction>;

type Asking = (call: Call) => Answer | PromiseLike<Answer>;

/**
 * A query of a whole list, up to the longest page. A filtered one is asked for page by page: each
 * answer has searched a part of the rows.
 */
export const readList = <E extends AnyEndpoint>(endpoint: E, tags: readonly Tag[]) => ({
  async queryFn(filter: ListFilter, _api: unknown, _options: unknown, ask: Asking) {
    type Found = { data: EntryOf<E>[]; error?: undefined } | { error: CallProblem };
    if (!filter) return (await ask(call(endpoint, undefined as ArgOf<E>))) as Found;
    const found = await fullPage<EntryOf<E>>(LIST_LENGTH_MAX, null, (page) =>
      ask(call(endpoint, { ...withMoments(filter), ...page } as ArgOf<E>)),
    );
    return 'error' in found ? found : { data: found.data.entries };
  },
  providesTags: tags,
});
