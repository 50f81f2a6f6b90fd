import {
  compareVariants,
  getComparison,
  listComparisons,
} from '@tallyhand/contracts/features/tasks/comparisons.endpoints';
import {
  cancelTask,
  executeTask,
  getTask,
  getTaskStats,
  listTasks,
  retryTask,
  type Task,
} from '@tallyhand/contracts/features/tasks/tasks.endpoints';
import type { QueryOf } from '@tallyhand/contracts/kernel/endpoint';
import type { Order } from '@tallyhand/contracts/kernel/lists';
import { AHEAD, api, change, read } from '../../app/api.ts';
import { type ArgOf, call } from '../../app/base-query.ts';
import { fullPage, inPages, type ListPage } from '../../app/pages.ts';
import { withMoments } from '../../ui/periods.ts';
import type { TaskFilter } from './task-filter.ts';

const PAGE_LENGTH = 50;
const OF_TASKS = ['tasks', 'credits'] as const;
/** With how they are rated. */
const OF_RATED = [...OF_TASKS, 'ratings'] as const;
const OF_WORK = ['tasks', 'organizations', 'credits'] as const;

type Asked = { filter: TaskFilter; order: Order };

const tasksApi = api.injectEndpoints({
  endpoints: (build) => ({
    /** The latest few, of one agent or of all. */
    listTasks: build.query(read(listTasks, OF_TASKS)),
    /** Those that a filter finds, page by page. */
    findTasks: build.infiniteQuery<ListPage<Task>, Asked, string | null>({
      queryFn: ({ queryArg, pageParam }, _api, _options, baseQuery) => {
        const filter = withMoments(queryArg.filter) as QueryOf<typeof listTasks>;
        const { order } = queryArg;
        return fullPage<Task>(PAGE_LENGTH, pageParam, (page) =>
          baseQuery(call(listTasks, { ...filter, order, ...page })),
        );
      },
      infiniteQueryOptions: inPages<Task>().infiniteQueryOptions,
      providesTags: OF_RATED,
    }),
    getTask: build.query(read(getTask, OF_RATED)),
    getComparison: build.query(read(getComparison, OF_RATED)),
    /** The latest few of an agent. */
    listComparisons: build.query(read(listComparisons, OF_TASKS)),
    compareVariants: build.mutation(change(compareVariants, OF_WORK)),
    /** With the number of calls that wait, also in chats and sessions. */
    getTaskStats: build.query(read(getTaskStats, [...OF_TASKS, 'chat', 'sessions'])),
    /** Answers when the task is accepted. */
    executeTask: build.mutation({
      ...change(executeTask, OF_WORK),
      query: (arg: ArgOf<typeof executeTask>) => ({
        ...call(executeTask, arg),
        respondAsync: true,
      }),
    }),
    // A refusal means that the task stands otherwise than was shown: it is read again, too.
    cancelTask: build.mutation(change(cancelTask, OF_WORK)),
    /** Answers when the new task is accepted. */
    retryTask: build.mutation({
      ...change(retryTask, OF_WORK),
      query: (id: string) => ({ ...call(retryTask, id), respondAsync: true }),
    }),
  }),
});

export const askForTasks = (limit: number) =>
  tasksApi.endpoints.listTasks.initiate({ limit }, AHEAD);
export const askForTaskStats = () => tasksApi.endpoints.getTaskStats.initiate(undefined, AHEAD);

export const {
  useListTasksQuery,
  useFindTasksInfiniteQuery,
  useGetTaskQuery,
  useGetComparisonQuery,
  useListComparisonsQuery,
  useCompareVariantsMutation,
  useGetTaskStatsQuery,
  useExecuteTaskMutation,
  useCancelTaskMutation,
  useRetryTaskMutation,
} = tasksApi;
