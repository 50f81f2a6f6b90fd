import { addUsage } from '@tallyhand/contracts/features/models/add-usage';
import { taskEvents } from '@tallyhand/contracts/features/tasks/tasks.events';
import { tasksModel } from '@tallyhand/read-models/features/tasks/tasks.tables';
import { rowProjection } from '../../kernel/row-projection.ts';

const DECIDED = { approval_id: null, approval_at: null } as const;

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
      ...DECIDED,
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
      approval_id: event.approvalId,
      approval_at: at,
      approvals: [
        ...row.approvals,
        {
          id: event.approvalId,
          toolId: event.toolId,
          toolName: event.toolName,
          toolVersion: event.toolVersion,
          operation: event.operation,
          arguments: event.arguments,
          step: event.step,
          createdAt: at,
          expiresAt: event.deadline,
          decision: null,
          changedArguments: null,
          note: null,
          forRun: false,
          decidedAt: null,
          decidedBy: null,
        },
      ],
      usage: addUsage(row.usage, event.usage ?? []),
    }),
    TaskApprovalDecided: ({ approvals }, event, { at }) => ({
      status: 'queued',
      ...DECIDED,
      approvals: approvals.map((one) =>
        one.id === event.approvalId
          ? {
              ...one,
              decision: event.decision,
              changedArguments: event.arguments ?? null,
              note: event.note ?? null,
              forRun: event.forRun,
              decidedAt: at,
              decidedBy: event.decidedBy,
            }
          : one,
      ),
    }),
    TaskSucceeded: (row, { usage = [] }, { named }) => ({
      ...named,
      status: 'success',
      usage: addUsage(row.usage, usage),
    }),
    TaskFailed: (row, { code, params, error, executionTimeMs, usage = [] }) => ({
      ...DECIDED,
      status: 'failed',
      error_message: error,
      error_code: code,
      error_params: params,
      execution_time_ms: executionTimeMs,
      usage: addUsage(row.usage, usage),
    }),
    TaskCancelled: () => ({ ...DECIDED, status: 'cancelled' }),
  },
});
