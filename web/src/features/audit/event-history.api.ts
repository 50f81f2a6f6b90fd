import {
  getMemberHistory,
  getOrganizationHistory,
  getTaskHistory,
  type LoggedEvent,
} from '@tallyhand/contracts/features/audit/audit.endpoints';
import { api } from '../../app/api.ts';
import { call } from '../../app/base-query.ts';
import { inPages, type ListPage, pageAt } from '../../app/pages.ts';

/** What things happen to, rather than being edited. */
export type EventHistorySubject =
  | { kind: 'task' | 'member'; id: string }
  | { kind: 'organization' };

const PAGE_LENGTH = 20;

const eventHistoryApi = api.injectEndpoints({
  endpoints: (build) => ({
    listEventHistory: build.infiniteQuery<
      ListPage<LoggedEvent>,
      EventHistorySubject,
      string | null
    >({
      query: ({ queryArg: subject, pageParam }) => {
        const query = pageAt(PAGE_LENGTH, pageParam);
        switch (subject.kind) {
          case 'task':
            return call(getTaskHistory, { params: { id: subject.id }, query });
          case 'member':
            return call(getMemberHistory, { params: { id: subject.id }, query });
          case 'organization':
            return call(getOrganizationHistory, { query });
        }
      },
      ...inPages<LoggedEvent>(),
      providesTags: ['audit-log'],
    }),
  }),
});

export const { useListEventHistoryInfiniteQuery } = eventHistoryApi;
