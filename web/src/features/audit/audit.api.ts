import {
  getAgent,
  getAgentHistory,
  restoreAgent,
} from '@tallyhand/contracts/features/agents/agents.endpoints';
import {
  getArticle,
  getArticleHistory,
  restoreArticle,
} from '@tallyhand/contracts/features/knowledge/knowledge.endpoints';
import {
  getPlaybook,
  getPlaybookHistory,
  restorePlaybook,
} from '@tallyhand/contracts/features/playbooks/playbooks.endpoints';
import {
  getTool,
  getToolHistory,
  restoreTool,
} from '@tallyhand/contracts/features/tools/tools.endpoints';
import type { HistoryEntry } from '@tallyhand/contracts/kernel/changes';
import { api } from '../../app/api.ts';
import { call } from '../../app/base-query.ts';
import { inPages, type ListPage, pageAt } from '../../app/pages.ts';

const endpoints = {
  agents: { one: getAgent, history: getAgentHistory, restore: restoreAgent },
  knowledge: { one: getArticle, history: getArticleHistory, restore: restoreArticle },
  playbooks: { one: getPlaybook, history: getPlaybookHistory, restore: restorePlaybook },
  tools: { one: getTool, history: getToolHistory, restore: restoreTool },
};

/** What has a history, by the name of its feature. */
export type HistoryKind = keyof typeof endpoints;

type Kept = { kind: HistoryKind; id: string };
/** Its fields by their names, and what else is known of it. */
export type KeptObject = Readonly<Record<string, HistoryEntry['changes'][number]['after']>>;

const PAGE_LENGTH = 20;

const auditApi = api.injectEndpoints({
  endpoints: (build) => ({
    listHistory: build.infiniteQuery<ListPage<HistoryEntry>, Kept, string | null>({
      query: ({ queryArg: { kind, id }, pageParam }) =>
        call(endpoints[kind].history, {
          params: { id },
          query: pageAt(PAGE_LENGTH, pageParam),
        }),
      ...inPages<HistoryEntry>(),
      providesTags: ['audit'],
    }),
    /** As it was at a moment, which nothing changes any more. */
    getAsOf: build.query<KeptObject, Kept & { asOf: string }>({
      query: ({ kind, id, asOf }) => call(endpoints[kind].one, { params: { id }, query: { asOf } }),
    }),
    restoreVersion: build.mutation<unknown, Kept & { version: number }>({
      query: ({ kind, id, version }) =>
        call(endpoints[kind].restore, { params: { id }, body: { version } }),
      invalidatesTags: (_, __, { kind }) => [kind, 'agents', 'audit'],
    }),
  }),
});

export const { useListHistoryInfiniteQuery, useGetAsOfQuery, useRestoreVersionMutation } = auditApi;
