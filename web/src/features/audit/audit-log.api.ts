import {
  type AuditEntry,
  listAuditEntries,
} from '@tallyhand/contracts/features/audit/audit.endpoints';
import type { QueryOf } from '@tallyhand/contracts/kernel/endpoint';
import { api } from '../../app/api.ts';
import { type AnswerMeta, call } from '../../app/base-query.ts';
import { type AuditFilter, queryOf } from './audit-filter.ts';

const PAGE_LENGTH = 50;

type AuditPage = { entries: AuditEntry[]; next: string | undefined };
/** `live`: new entries come by themselves; else the list stays as it is while one reads. */
type Asked = { filter: AuditFilter; live: boolean };

const auditLogApi = api.injectEndpoints({
  endpoints: (build) => ({
    findAuditEntries: build.infiniteQuery<AuditPage, Asked, string | null>({
      query: ({ queryArg, pageParam }) => {
        const filter = queryOf(queryArg.filter) as QueryOf<typeof listAuditEntries>;
        const page = { limit: PAGE_LENGTH, ...(pageParam !== null && { cursor: pageParam }) };
        return call(listAuditEntries, { query: { ...filter, ...page } });
      },
      transformResponse: (entries: AuditEntry[], meta: AnswerMeta | undefined) => ({
        entries,
        next: meta?.next,
      }),
      infiniteQueryOptions: { initialPageParam: null, getNextPageParam: ({ next }) => next },
      providesTags: (_, __, { live }) => (live ? ['audit-log'] : []),
    }),
  }),
});

export const { useFindAuditEntriesInfiniteQuery } = auditLogApi;
