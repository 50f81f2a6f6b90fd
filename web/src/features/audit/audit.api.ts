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
  type AuditExport,
  type AuditKey,
  listAuditExports,
  listAuditKeys,
  startAuditExport,
} from '@tallyhand/contracts/features/audit/audit-exports.endpoints';
import {
  type Deletion,
  listDeletions,
} from '@tallyhand/contracts/features/audit/deletions.endpoints';
import {
  deleteArticle,
  getArticle,
  getArticleHistory,
  restoreArticle,
} from '@tallyhand/contracts/features/knowledge/knowledge.endpoints';
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
import type { BodyOf } from '@tallyhand/contracts/kernel/endpoint';
import { api } from '../../app/api.ts';
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
} as const;

/** What has versions, by the name of its feature. */
export type VersionedKind = keyof typeof endpoints;

type Versioned = { kind: VersionedKind; id: string };
/** Its fields by their names, and what else is known of it. */
export type VersionedObject = Readonly<Record<string, HistoryEntry['changes'][number]['after']>>;

const PAGE_LENGTH = 20;

const auditApi = api.injectEndpoints({
  endpoints: (build) => ({
    listHistory: build.infiniteQuery<ListPage<HistoryEntry>, Versioned, string | null>({
      query: ({ queryArg: { kind, id }, pageParam }) =>
        call(endpoints[kind].history, {
          params: { id },
          query: pageAt(PAGE_LENGTH, pageParam),
        }),
      ...inPages<HistoryEntry>(),
      providesTags: ['audit'],
    }),
    /** As it was at a moment, which nothing changes any more. */
    getAsOf: build.query<VersionedObject, Versioned & { asOf: string }>({
      query: ({ kind, id, asOf }) => call(endpoints[kind].one, { params: { id }, query: { asOf } }),
    }),
    listDeletions: build.infiniteQuery<ListPage<Deletion>, VersionedKind, string | null>({
      query: ({ queryArg: kind, pageParam }) =>
        call(listDeletions, {
          query: { ...pageAt(PAGE_LENGTH, pageParam), kind: endpoints[kind].deleted },
        }),
      ...inPages<Deletion>(),
      providesTags: ['audit'],
    }),
    remove: build.mutation<null, Versioned>({
      query: ({ kind, id }) => call(endpoints[kind].remove, { params: { id } }),
      invalidatesTags: (_, __, { kind }) => [kind, 'agents', 'audit'],
    }),
    /** Restores a version, or without one what was deleted. */
    restore: build.mutation<unknown, Versioned & { version?: number }>({
      query: ({ kind, id, ...body }) => call(endpoints[kind].restore, { params: { id }, body }),
      invalidatesTags: (_, __, { kind }) => [kind, 'agents', 'audit'],
    }),
  }),
});

export const {
  useListHistoryInfiniteQuery,
  useGetAsOfQuery,
  useListDeletionsInfiniteQuery,
  useRemoveMutation,
  useRestoreMutation,
} = auditApi;

const auditExportsApi = api.injectEndpoints({
  endpoints: (build) => ({
    listExports: build.query<AuditExport[], void>({ query: () => call(listAuditExports) }),
    startExport: build.mutation<AuditExport, BodyOf<typeof startAuditExport>>({
      query: (body) => call(startAuditExport, { body }),
    }),
    listAuditKeys: build.query<AuditKey[], void>({ query: () => call(listAuditKeys) }),
  }),
});

export const { useListExportsQuery, useStartExportMutation, useListAuditKeysQuery } =
  auditExportsApi;

/** What things happen to, rather than being edited. */
export type EventHistorySubject =
  | { kind: 'task' | 'member'; id: string }
  | { kind: 'organization' };

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
