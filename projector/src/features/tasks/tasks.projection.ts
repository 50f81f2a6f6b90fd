import { type TaskEvent, taskEvents } from '@tallyhand/contracts/features/tasks/tasks.events';
import type { TasksTable } from '@tallyhand/read-models/features/tasks/tasks.tables';
import { tasksModel } from '@tallyhand/read-models/features/tasks/tasks.tables';
import { sql } from 'kysely';
import { projection, type Tx } from '../../kernel/projection.ts';

export const tasksProjection = projection<TaskEvent>({
  model: tasksModel,
  kinds: taskEvents,
  on: {
    TaskRequested: (tx, data, { at }) =>
      tx
        .insertInto('tasks')
        .values({
          task_id: data.taskId,
          organization_id: data.organizationId,
          agent_id: data.agentId,
          type: data.taskType,
          status: 'queued',
          input: data.input,
          output: null,
          error_message: null,
          reasoning: null,
          sources: '[]',
          model: null,
          execution_time_ms: null,
          requested_by: data.requestedBy,
          retry_of: data.retryOf ?? null,
          playbook: null,
          ...{ steps: '[]', tool_calls: '[]' },
          created_at: at,
        })
        .execute(),
    TaskStarted: (tx, { taskId, model, playbook }) =>
      change(tx, taskId, {
        ...{ status: 'running', model },
        ...(playbook ? { playbook: JSON.stringify(playbook) } : {}),
      }),
    TaskToolCalled: (tx, { taskId, organizationId: _, ...call }) =>
      tx
        .updateTable('tasks')
        .set({ tool_calls: sql`tool_calls || ${JSON.stringify([call])}::jsonb` })
        .where('task_id', '=', taskId)
        .execute(),
    TaskStepCompleted: (tx, { taskId, ordinal, instruction, output, executionTimeMs }) => {
      const step = JSON.stringify([{ ordinal, instruction, output, executionTimeMs }]);
      return tx
        .updateTable('tasks')
        .set({ steps: sql`steps || ${step}::jsonb` })
        .where('task_id', '=', taskId)
        .execute();
    },
    TaskSucceeded: (tx, data) =>
      change(tx, data.taskId, {
        status: 'success',
        output: data.output,
        reasoning: data.reasoning,
        sources: JSON.stringify(data.sources),
        model: data.model,
        execution_time_ms: data.executionTimeMs,
      }),
    TaskFailed: (tx, { taskId, error, executionTimeMs }) =>
      change(tx, taskId, {
        status: 'failed',
        error_message: error,
        execution_time_ms: executionTimeMs,
      }),
    TaskCancelled: (tx, { taskId }) => change(tx, taskId, { status: 'cancelled' }),
  },
});

const change = (tx: Tx, taskId: string, columns: Partial<TasksTable>) =>
  tx.updateTable('tasks').set(columns).where('task_id', '=', taskId).execute();
