import { type TaskEvent, taskEvents } from '@tallyhand/contracts/features/tasks/tasks.events';
import { tasksModel } from '@tallyhand/read-models/features/tasks/tasks.tables';
import { rowProjection } from '../../kernel/row-projection.ts';

export const tasksProjection = rowProjection<TaskEvent, 'tasks', 'TaskRequested', 'task_counts'>({
  model: tasksModel,
  kinds: taskEvents,
  table: 'tasks',
  key: 'task_id',
  idOf: ({ taskId }) => taskId,
  counts: {
    table: 'task_counts',
    as: ({ organization_id, created_at, status }) => ({
      organization_id,
      month: `${new Date(created_at).toISOString().slice(0, 7)}-01`,
      status,
    }),
  },
  first: {
    TaskRequested: (data, { at }) => ({
      task_id: data.taskId,
      organization_id: data.organizationId,
      agent_id: data.agentId,
      type: data.taskType,
      status: 'queued',
      input: data.input,
      output: null,
      error_message: null,
      error_code: null,
      error_params: {},
      reasoning: null,
      sources: [],
      model: null,
      execution_time_ms: null,
      requested_by: data.requestedBy,
      retry_of: data.retryOf ?? null,
      playbook: null,
      steps: [],
      tool_calls: [],
      created_at: at,
    }),
  },
  next: {
    TaskStarted: (row, { model, playbook = null }) => ({
      ...row,
      status: 'running',
      model,
      playbook,
    }),
    TaskToolCalled: (row, { taskId: _task, organizationId: _organization, ...call }) => ({
      ...row,
      tool_calls: [...row.tool_calls, call],
    }),
    TaskStepCompleted: (row, { ordinal, instruction, output, executionTimeMs }) => ({
      ...row,
      steps: [...row.steps, { ordinal, instruction, output, executionTimeMs }],
    }),
    TaskSucceeded: (row, data) => ({
      ...row,
      status: 'success',
      output: data.output,
      reasoning: data.reasoning,
      sources: data.sources,
      model: data.model,
      execution_time_ms: data.executionTimeMs,
    }),
    TaskFailed: (row, { code, params, error, executionTimeMs }) => ({
      ...row,
      status: 'failed',
      error_message: error,
      error_code: code,
      error_params: params,
      execution_time_ms: executionTimeMs,
    }),
    TaskCancelled: (row) => ({ ...row, status: 'cancelled' }),
  },
});
