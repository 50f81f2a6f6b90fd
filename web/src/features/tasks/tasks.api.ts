import {
  executeTask,
  getTask,
  getTaskStats,
  listTasks,
  type Task,
  type TaskDetail,
  type TaskStats,
} from '@tallyhand/contracts/features/tasks/tasks.endpoints';
import type { AnswerOf } from '@tallyhand/contracts/kernel/endpoint';
import { api } from '../../app/api.ts';
import { call } from '../../app/base-query.ts';

type Execution = { agentId: string; input: string };

const tasksApi = api.injectEndpoints({
  endpoints: (build) => ({
    /** All of them, up to the server's limit of 1,000, or the latest few. */
    listTasks: build.query<Task[], { limit?: number }>({
      query: ({ limit }) => call(listTasks, limit === undefined ? {} : { query: { limit } }),
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
    executeTask: build.mutation<AnswerOf<typeof executeTask>, Execution>({
      query: ({ agentId, input }) =>
        call(executeTask, { params: { id: agentId }, body: { input, type: 'query' } }),
      invalidatesTags: ['tasks', 'organizations', 'credits'],
    }),
  }),
});

export const { useListTasksQuery, useGetTaskQuery, useGetTaskStatsQuery, useExecuteTaskMutation } =
  tasksApi;
