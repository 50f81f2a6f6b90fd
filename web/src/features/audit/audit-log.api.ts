import {
  type AuditEntry,
  listAuditEntries,
} from '@tallyhand/contracts/features/audit/audit.endpoints';
import type { QueryOf } from '@tallyhand/contracts/kernel/endpoint';
import type { Order } from '@tallyhand/contracts/kernel/lists';
import { api } from '../../app/api.ts';
import { call } from '../../app/base-query.ts';
import { inPages, type ListPage, pageAt } from '../../app/pages.ts';
import { withMoments } from '../../ui/periods.ts';
import type { AuditFilter } from './audit-filter.ts';

const PAGE_LENGTH = 50;

/** `live`: new entries come by themselves; else the list stays as it is while one reads. */
type Asked = { filter: AuditFilter; order: Order; live: boolean };

const auditLogApi = api.injectEndpoints({
  endpoints: (build) => ({
    findAuditEntries: build.infiniteQuery<ListPage<AuditEntry>, Asked, string | null>({
      query: ({ queryArg, pageParam }) => {
        const filter = withMoments(queryArg.filter) as QueryOf<typeof listAuditEntries>;
        const page = pageAt(PAGE_LENGTH, pageParam);
        return call(listAuditEntries, { ...filter, order: queryArg.order, ...page });
      },
      ...inPages<AuditEntry>(),
      providesTags: (_, __, { live }) => (live ? ['audit-log'] : []),
    }),
  }),
});

export const { useFindAuditEntriesInfiniteQuery } = auditLogApi;
