import { createApi } from '@reduxjs/toolkit/query/react';
import type { AnswerOf } from '@tallyhand/contracts/kernel/endpoint';
import { type AnyEndpoint, type ArgOf, baseQuery, call } from './base-query.ts';

/** What the server's change messages name; a feature's reads carry its name as their tag. */
export const TAGS = [
  'identity',
  'organizations',
  'team',
  'credits',
  'agents',
  'mailboxes',
  'chat',
  'knowledge',
  'playbooks',
  'tools',
  'models',
  'tasks',
  'ratings',
  'sessions',
  'notifications',
  'support',
  'api-keys',
  'webhooks',
  'audit',
  'audit-log',
] as const;
export type Tag = (typeof TAGS)[number];

const FRESH_SECONDS = 300;

/** How long a read stays fresh when no change is announced. */
export const CACHE_RULES = {
  keepUnusedDataFor: FRESH_SECONDS,
  refetchOnMountOrArgChange: FRESH_SECONDS,
  refetchOnFocus: false,
} as const;

/** The one api of the app, empty: each feature injects its own calls. */
export const api = createApi({
  reducerPath: 'api',
  baseQuery,
  tagTypes: TAGS,
  ...CACHE_RULES,
  endpoints: () => ({}),
});

/** A query of an endpoint. Changes of these tags make it again. */
export const read = <E extends AnyEndpoint>(endpoint: E, tags: readonly Tag[] = []) => ({
  query: (arg: ArgOf<E>) => call(endpoint, arg),
  transformResponse: (answer: AnswerOf<E>) => answer,
  providesTags: tags,
});

/** A mutation of an endpoint. It makes the reads of these tags again, also after a refusal. */
export const change = <E extends AnyEndpoint>(endpoint: E, tags: readonly Tag[] = []) => ({
  query: (arg: ArgOf<E>) => call(endpoint, arg),
  transformResponse: (answer: AnswerOf<E>) => answer,
  invalidatesTags: tags,
});

/** For a read that is made before something shows it. */
export const AHEAD = { subscribe: false } as const;

type Read<D> = { data?: D; error?: unknown; isLoading: boolean };

/** A read that has not begun yet counts as loading. */
const selectFromResult = (read: Read<never> & { isUninitialized: boolean }) => {
  const { data, error, isLoading, isUninitialized } = read;
  return { data, error, isLoading: isLoading || isUninitialized };
};

/**
 * For components that show the data and no loading state: a refetch does not render them again.
 */
export const asRead = <D>() =>
  ({ selectFromResult }) as { selectFromResult: (read: Read<D>) => Read<D> };
