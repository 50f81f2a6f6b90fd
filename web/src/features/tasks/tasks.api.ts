import {
  cancelTask,
  type ExecuteInput,
  type ExecutionAccepted,
  executeTask,
  getTask,
  getTaskStats,
  listTasks,
  retryTask,
  type Task,
  type TaskDetail,
  type TaskStats,
} from '@tallyhand/contracts/features/tasks/tasks.endpoints';
import type { AnswerOf, QueryOf } from '@tallyhand/contracts/kernel/endpoint';
import type { Order } from '@tallyhand/contracts/kernel/lists';
import type { z } from 'zod';
import { api } from '../../app/api.ts';
import { call } from '../../app/base-query.ts';
import { fullPage, inPages, type ListPage } from '../../app/pages.ts';
import { withMoments } from '../../app/use-address.ts';
import type { TaskFilter } from './task-filter.ts';

type Execution = { agentId: string } & z.input<typeof ExecuteInput>;

const PAGE_LENGTH = 50;

type Asked = { filter: TaskFilter; order: Order };

const tasksApi = api.injectEndpoints({
  endpoints: (build) => ({
    /** The latest few, of one agent or of all. */
    listTasks: build.query<Task[], { limit?: number; agentId?: string }>({
      query: (query) => call(listTasks, { query }),
      providesTags: ['tasks', 'credits'],
    }),
    /** Those that a filter finds, page by page. */
    findTasks: build.infiniteQuery<ListPage<Task>, Asked, string | null>({
      queryFn: ({ queryArg, pageParam }, _api, _options, baseQuery) => {
        const filter = withMoments(queryArg.filter) as QueryOf<typeof listTasks>;
        const { order } = queryArg;
        return fullPage<Task>(PAGE_LENGTH, pageParam, (page) =>
          baseQuery(call(listTasks, { query: { ...filter, order, ...page } })),
        );
      },
      infiniteQueryOptions: inPages<Task>().infiniteQueryOptions,
      providesTags: ['tasks', 'credits'],
    }),
    getTask: build.query<TaskDetail, string>({
      query: (id) => call(getTask, { params: { id } }),
      providesTags: ['tasks', 'credits'],
    }),
    getTaskStats: build.query<TaskStats, void>({
      query: () => call(getTaskStats),
      providesTags: ['tasks', 'credits'],
    }),
    /** Answers when the task is accepted. */
    executeTask: build.mutation<ExecutionAccepted, Execution>({
      query: ({ agentId, ...body }) => ({
        ...call(executeTask, { params: { id: agentId }, body }),
        respondAsync: true,
      }),
      invalidatesTags: ['tasks', 'organizations', 'credits'],
    }),
    // A refusal means that the task stands otherwise than was shown: it is read again, too.
    cancelTask: build.mutation<AnswerOf<typeof cancelTask>, string>({
      query: (id) => call(cancelTask, { params: { id } }),
      invalidatesTags: ['tasks', 'organizations', 'credits'],
    }),
    /** Answers when the new task is accepted. */
    retryTask: build.mutation<ExecutionAccepted, string>({
      query: (id) => ({ ...call(retryTask, { params: { id } }), respondAsync: true }),
      invalidatesTags: ['tasks', 'organizations', 'credits'],
    }),
  }),
});

export const {
  useListTasksQuery,
  useFindTasksInfiniteQuery,
  useGetTaskQuery,
  useGetTaskStatsQuery,
  useExecuteTaskMutation,
  useCancelTaskMutation,
  useRetryTaskMutation,
} = tasksApi;
