import {
  deleteAgent,
  getAgent,
  getAgentHistory,
  restoreAgent,
} from '@tallyhand/contracts/features/agents/agents.endpoints';
import {
  getMemberHistory,
  getOrganizationHistory,
  getTaskHistory,
  type LoggedEvent,
} from '@tallyhand/contracts/features/audit/audit.endpoints';
import {
  getAuditCheck,
  listAuditExports,
  listAuditKeys,
  startAuditExport,
} from '@tallyhand/contracts/features/audit/audit-exports.endpoints';
import {
  changeAuditPublishing,
  getAuditPublishing,
} from '@tallyhand/contracts/features/audit/audit-publishing.endpoints';
import {
  type Deletion,
  listDeletions,
} from '@tallyhand/contracts/features/audit/deletions.endpoints';
import {
  endLogStream,
  getLogStream,
  setLogStream,
} from '@tallyhand/contracts/features/audit/log-stream.endpoints';
import {
  deleteArticle,
  getArticle,
  getArticleHistory,
  restoreArticle,
} from '@tallyhand/contracts/features/knowledge/knowledge.endpoints';
import {
  deleteConnection,
  getConnection,
  getConnectionHistory,
  restoreConnection,
} from '@tallyhand/contracts/features/models/models.endpoints';
import {
  deletePlaybook,
  getPlaybook,
  getPlaybookHistory,
  restorePlaybook,
} from '@tallyhand/contracts/features/playbooks/playbooks.endpoints';
import {
  deleteTool,
  getTool,
  getToolHistory,
  restoreTool,
} from '@tallyhand/contracts/features/tools/tools.endpoints';
import type { HistoryEntry } from '@tallyhand/contracts/kernel/changes';
import { api, change, read } from '../../app/api.ts';
import { call } from '../../app/base-query.ts';
import { inPages, type ListPage, pageAt } from '../../app/pages.ts';

const endpoints = {
  agents: {
    deleted: 'agent',
    one: getAgent,
    history: getAgentHistory,
    remove: deleteAgent,
    restore: restoreAgent,
  },
  knowledge: {
    deleted: 'article',
    one: getArticle,
    history: getArticleHistory,
    remove: deleteArticle,
    restore: restoreArticle,
  },
  playbooks: {
    deleted: 'playbook',
    one: getPlaybook,
    history: getPlaybookHistory,
    remove: deletePlaybook,
    restore: restorePlaybook,
  },
  tools: {
    deleted: 'tool',
    one: getTool,
    history: getToolHistory,
    remove: deleteTool,
    restore: restoreTool,
  },
  models: {
    deleted: 'connection',
    one: getConnection,
    history: getConnectionHistory,
    remove: deleteConnection,
    restore: restoreConnection,
  },
} as const;

/** What has versions, by the name of its feature. */
export type VersionedKind = keyof typeof endpoints;

type Versioned = { kind: VersionedKind; id: string };
/** Its fields by their names, and what else is known of it. */
export type VersionedObject = Readonly<Record<string, HistoryEntry['changes'][number]['after']>>;

/** What things happen to, rather than being edited. */
export type EventHistorySubject =
  | { kind: 'task' | 'member'; id: string }
  | { kind: 'organization' };

const PAGE_LENGTH = 20;

const auditApi = api.injectEndpoints({
  endpoints: (build) => ({
    listHistory: build.infiniteQuery<ListPage<HistoryEntry>, Versioned, string | null>({
      query: ({ queryArg: { kind, id }, pageParam }) =>
        call(endpoints[kind].history, { id, ...pageAt(PAGE_LENGTH, pageParam) }),
      ...inPages<HistoryEntry>(),
      providesTags: ['audit'],
    }),
    /** As it was at a moment, which nothing changes any more. */
    getAsOf: build.query<VersionedObject, Versioned & { asOf: string }>({
      query: ({ kind, id, asOf }) => call(endpoints[kind].one, { id, asOf }),
    }),
    /** As it is now. */
    getPresent: build.query<VersionedObject, Versioned>({
      query: ({ kind, id }) => call(endpoints[kind].one, id),
      providesTags: (_, __, { kind }) => [kind],
    }),
    listDeletions: build.infiniteQuery<ListPage<Deletion>, VersionedKind, string | null>({
      query: ({ queryArg: kind, pageParam }) =>
        call(listDeletions, { kind: endpoints[kind].deleted, ...pageAt(PAGE_LENGTH, pageParam) }),
      ...inPages<Deletion>(),
      providesTags: ['audit'],
    }),
    remove: build.mutation<null, Versioned>({
      query: ({ kind, id }) => call(endpoints[kind].remove, id),
      invalidatesTags: (_, __, { kind }) => [kind, 'agents', 'audit'],
    }),
    /** Restores a version, or without one what was deleted. */
    restore: build.mutation<unknown, Versioned & { version?: number }>({
      query: ({ kind, id, version }) => call(endpoints[kind].restore, { id, version }),
      invalidatesTags: (_, __, { kind }) => [kind, 'agents', 'audit'],
    }),
    listEventHistory: build.infiniteQuery<
      ListPage<LoggedEvent>,
      EventHistorySubject,
      string | null
    >({
      query: ({ queryArg: subject, pageParam }) => {
        const page = pageAt(PAGE_LENGTH, pageParam);
        switch (subject.kind) {
          case 'task':
            return call(getTaskHistory, { id: subject.id, ...page });
          case 'member':
            return call(getMemberHistory, { id: subject.id, ...page });
          case 'organization':
            return call(getOrganizationHistory, page);
        }
      },
      ...inPages<LoggedEvent>(),
      providesTags: ['audit-log'],
    }),
    listAuditExports: build.query(read(listAuditExports)),
    startAuditExport: build.mutation(change(startAuditExport)),
    listAuditKeys: build.query(read(listAuditKeys)),
    getAuditCheck: build.query(read(getAuditCheck)),
    getAuditPublishing: build.query(read(getAuditPublishing, ['audit'])),
    changeAuditPublishing: build.mutation(change(changeAuditPublishing, ['audit'])),
    getLogStream: build.query(read(getLogStream, ['audit'])),
    setLogStream: build.mutation(change(setLogStream, ['audit'])),
    endLogStream: build.mutation(change(endLogStream, ['audit'])),
  }),
});

export const {
  useListHistoryInfiniteQuery,
  useGetAsOfQuery,
  useGetPresentQuery,
  useLazyGetPresentQuery,
  useListDeletionsInfiniteQuery,
  useRemoveMutation,
  useRestoreMutation,
  useListEventHistoryInfiniteQuery,
  useListAuditExportsQuery,
  useStartAuditExportMutation,
  useListAuditKeysQuery,
  useGetAuditCheckQuery,
  useGetAuditPublishingQuery,
  useChangeAuditPublishingMutation,
  useGetLogStreamQuery,
  useSetLogStreamMutation,
  useEndLogStreamMutation,
} = auditApi;
