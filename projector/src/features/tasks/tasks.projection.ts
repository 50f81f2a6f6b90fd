import { addUsage } from '@tallyhand/contracts/features/models/add-usage';
import { taskEvents } from '@tallyhand/contracts/features/tasks/tasks.events';
import { tasksModel } from '@tallyhand/read-models/features/tasks/tasks.tables';
import { NOT_WAITING, withAsked, withDecision } from '../../kernel/approvals.ts';
import { rowProjection } from '../../kernel/row-projection.ts';

export const tasksProjection = rowProjection({
  model: tasksModel,
  kinds: taskEvents,
  table: 'tasks',
  idOf: ({ taskId }) => taskId,
  counts: [
    {
      table: 'task_counts',
      as: ({ organization_id, created_at, status }) => ({
        organization_id,
        day: new Date(created_at).toISOString().slice(0, 10),
        status,
      }),
    },
    {
      table: 'agent_task_counts',
      as: ({ organization_id, agent_id, status }) => ({ organization_id, agent_id, status }),
    },
  ],
  first: {
    TaskRequested: ({ taskType, attachments = [], comparison }) => ({
      type: taskType,
      status: 'queued',
      error_params: {},
      sources: [],
      steps: [],
      tool_calls: [],
      approvals: [],
      usage: [],
      attachments: attachments.map(({ attachmentId: id, name, kind, bytes }) => ({
        id,
        name,
        kind,
        bytes,
      })),
      ...NOT_WAITING,
      comparison_id: comparison?.comparisonId ?? null,
      comparison_place: comparison?.ordinal ?? null,
    }),
  },
  next: {
    TaskStarted: (_, { model, playbook = null }) => ({ status: 'running', model, playbook }),
    TaskToolCalled: (
      { tool_calls },
      { taskId: _task, organizationId: _organization, ...call },
    ) => ({
      tool_calls: [...tool_calls, call],
    }),
    TaskStepCompleted: (row, { ordinal, instruction, output, executionTimeMs, usage = [] }) => ({
      steps: [...row.steps, { ordinal, instruction, output, executionTimeMs }],
      usage: addUsage(row.usage, usage),
    }),
    TaskApprovalRequested: (row, event, { at }) => ({
      status: 'waiting',
      ...withAsked(row.approvals, event, at),
      usage: addUsage(row.usage, event.usage ?? []),
    }),
    TaskApprovalDecided: ({ approvals }, event, { at }) => ({
      status: 'queued',
      ...withDecision(approvals, event, at),
    }),
    TaskSucceeded: (row, { usage = [] }, { named }) => ({
      ...named,
      status: 'success',
      usage: addUsage(row.usage, usage),
    }),
    TaskFailed: (row, { code, params, error, executionTimeMs, usage = [] }) => ({
      ...NOT_WAITING,
      status: 'failed',
      error_message: error,
      error_code: code,
      error_params: params,
      execution_time_ms: executionTimeMs,
      usage: addUsage(row.usage, usage),
    }),
    TaskCancelled: () => ({ ...NOT_WAITING, status: 'cancelled' }),
  },
});
