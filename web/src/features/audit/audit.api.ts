import {
  getAgentHistory,
  restoreAgent,
} from '@tallyhand/contracts/features/agents/agents.endpoints';
import {
  getArticleHistory,
  restoreArticle,
} from '@tallyhand/contracts/features/knowledge/knowledge.endpoints';
import {
  getPlaybookHistory,
  restorePlaybook,
} from '@tallyhand/contracts/features/playbooks/playbooks.endpoints';
import { getToolHistory, restoreTool } from '@tallyhand/contracts/features/tools/tools.endpoints';
import type { HistoryEntry } from '@tallyhand/contracts/kernel/changes';
import { api } from '../../app/api.ts';
import { type AnswerMeta, call } from '../../app/base-query.ts';

const endpoints = {
  agents: { history: getAgentHistory, restore: restoreAgent },
  knowledge: { history: getArticleHistory, restore: restoreArticle },
  playbooks: { history: getPlaybookHistory, restore: restorePlaybook },
  tools: { history: getToolHistory, restore: restoreTool },
};

/** What has a history, by the name of its feature. */
export type HistoryKind = keyof typeof endpoints;

type Kept = { kind: HistoryKind; id: string };
type HistoryPage = { entries: HistoryEntry[]; next: string | undefined };

const PAGE_LENGTH = 20;

const auditApi = api.injectEndpoints({
  endpoints: (build) => ({
    listHistory: build.infiniteQuery<HistoryPage, Kept, string | null>({
      query: ({ queryArg: { kind, id }, pageParam }) =>
        call(endpoints[kind].history, {
          params: { id },
          query: { limit: PAGE_LENGTH, ...(pageParam !== null && { cursor: pageParam }) },
        }),
      transformResponse: (entries: HistoryEntry[], meta: AnswerMeta | undefined) => ({
        entries,
        next: meta?.next,
      }),
      infiniteQueryOptions: { initialPageParam: null, getNextPageParam: ({ next }) => next },
      providesTags: ['audit'],
    }),
    restoreVersion: build.mutation<unknown, Kept & { version: number }>({
      query: ({ kind, id, version }) =>
        call(endpoints[kind].restore, { params: { id }, body: { version } }),
      invalidatesTags: (_, __, { kind }) => [kind, 'agents', 'audit'],
    }),
  }),
});

export const { useListHistoryInfiniteQuery, useRestoreVersionMutation } = auditApi;
