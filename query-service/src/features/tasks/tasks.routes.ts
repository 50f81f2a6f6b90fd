import { listApprovals } from '@tallyhand/contracts/features/tasks/approvals.endpoints';
import {
  getComparison,
  listComparisons,
} from '@tallyhand/contracts/features/tasks/comparisons.endpoints';
import {
  exportTasks,
  getTask,
  getTaskStats,
  listTasks,
  type Task,
  type TaskDetail,
} from '@tallyhand/contracts/features/tasks/tasks.endpoints';
import { pathOf, type QueryOf } from '@tallyhand/contracts/kernel/endpoint';
import { isRefusal } from '@tallyhand/contracts/kernel/refusal';
import { agents } from '@tallyhand/read-models/features/agents/agents.tables';
import { readApprovals } from '@tallyhand/read-models/features/tasks/approvals';
import {
  readChosenTasks,
  readComparison,
  readComparisons,
  readTask,
  readTaskStats,
  readTasks,
  readWholeTasks,
} from '@tallyhand/read-models/features/tasks/tasks.tables';
import type { FastifyInstance } from 'fastify';
import type { QueryContext } from '../../kernel/context.ts';
import type { CsvColumns } from '../../kernel/csv.ts';
import { exportRoute } from '../../kernel/export-route.ts';
import { oneRoute, pageOf, route } from '../../kernel/route.ts';

type Row = Task & Pick<TaskDetail, 'agentName' | 'ratings'>;

const columns: CsvColumns<Row> = {
  Created: (row) => row.createdAt,
  Agent: (row) => row.agentName,
  Type: (row) => row.type,
  Status: (row) => row.status,
  Input: (row) => row.input,
  Output: (row) => row.output,
  Error: (row) => row.errorMessage,
  Credits: (row) => row.creditCost,
  'Execution time (ms)': (row) => row.executionTimeMs,
  'Thumbs up': (row) => row.rating.up,
  'Thumbs down': (row) => row.rating.down,
  Reasons: ({ ratings }) => ratings.flatMap(({ reason }) => reason ?? []).join('\n'),
  'Agent id': (row) => row.agentId,
  'Task id': (row) => row.id,
};

type Filter = Omit<QueryOf<typeof exportTasks>, 'format' | 'ids'>;

const found = ({ q, status, type, agentId, rating, from, to }: Filter) => ({
  q: q || null,
  status: status ?? null,
  type: type ?? null,
  agent: agentId ?? null,
  rating: rating ?? null,
  from: from ?? null,
  to: to ?? null,
});

export function tasksRoutes(app: FastifyInstance, context: QueryContext) {
  route(app, context, listTasks, (call) =>
    pageOf(call, listTasks.path, (page) =>
      call.read(readTasks[call.query.order ?? 'newest'], { ...found(call.query), ...page }),
    ),
  );
  exportRoute<Row, QueryOf<typeof exportTasks>>(app, context, exportTasks, {
    fileName: 'tasks',
    columns,
    pages:
      async ({ read, query: { ids, ...filter } }) =>
      (page) =>
        ids ? read(readChosenTasks, { ids }) : read(readWholeTasks, { ...found(filter), ...page }),
  });
  route(app, context, listApprovals, (call) =>
    pageOf(call, listApprovals.path, (page) => call.read(readApprovals, page)),
  );
  oneRoute(app, context, getTaskStats, readTaskStats);
  oneRoute(app, context, getTask, readTask);
  oneRoute(app, context, getComparison, readComparison, { what: 'comparison' });
  route(app, context, listComparisons, { what: 'agent' }, async (call) => {
    const { id } = call.params;
    const agent = await call.read(agents.one, { id });
    if (isRefusal(agent) || agent.body === null) return agent;
    return pageOf(call, pathOf(listComparisons, call.params), (page) =>
      call.read(readComparisons, { agent: id, ...page }),
    );
  });
}
