import { z } from 'zod';
import { AGENT_MANAGERS, MEMBERS } from '../../kernel/access.ts';
import { Json } from '../../kernel/changes.ts';
import { endpoint } from '../../kernel/endpoint.ts';
import { Id } from '../../kernel/ids.ts';
import { Page } from '../../kernel/lists.ts';
import { Approval } from './approvals.fields.ts';
import { Task } from './tasks.endpoints.ts';
import { APPROVAL_DECISIONS } from './tasks.events.ts';
import { ApprovalDecided, TaskEnded } from './tasks.refusals.ts';

export const APPROVAL_HOURS = 24;
export const APPROVAL_ARGUMENTS_MAX = 64_000;
export const APPROVAL_NOTE_MAX = 1_000;

const feature = 'tasks';

/** A call that waits for a decision. */
export const WaitingCall = Approval.pick({
  id: true,
  toolId: true,
  toolName: true,
  operation: true,
  arguments: true,
  step: true,
  createdAt: true,
  expiresAt: true,
});
export type WaitingCall = z.infer<typeof WaitingCall>;

/** A call that waits, and the task, the conversation or the session that it belongs to. */
export const WaitingApproval = WaitingCall.extend({
  taskId: Id.nullable(),
  /** Of a reply in a chat. */
  conversationId: Id.nullable(),
  sessionId: Id.nullable(),
  agentId: Id,
  agentName: z.string().nullable(),
  /** The task’s input, the answered message or the session’s goal, truncated to 2,000 characters. */
  input: z.string(),
  requestedBy: Task.shape.requestedBy,
});
export type WaitingApproval = z.infer<typeof WaitingApproval>;

const ARGUMENTS = 'arguments must be an object';

export const DecideApprovalInput = z
  .strictObject({
    approvalId: z.uuid({ error: 'approvalId must be an id' }),
    decision: z.enum(APPROVAL_DECISIONS, {
      error: `decision must be one of ${APPROVAL_DECISIONS.join(', ')}`,
    }),
    arguments: z
      .record(z.string(), Json, { error: ARGUMENTS })
      .refine(
        (value) => JSON.stringify(value).length <= APPROVAL_ARGUMENTS_MAX,
        `arguments must be at most ${APPROVAL_ARGUMENTS_MAX} characters of JSON`,
      )
      .meta({ description: 'Makes the call with these arguments instead of the agent’s.' })
      .optional(),
    note: z
      .string({ error: 'note must be a text' })
      .trim()
      .max(APPROVAL_NOTE_MAX, `note must be at most ${APPROVAL_NOTE_MAX} characters`)
      .meta({ description: 'Why the call is refused. The agent reads it.' })
      .optional(),
    forRun: z
      .boolean({ error: 'forRun must be true or false' })
      .meta({
        description:
          'Whether further calls of the tool need no approval in this task, reply or session.',
      })
      .default(false),
  })
  .refine(({ decision, arguments: changed }) => decision === 'approved' || changed === undefined, {
    path: ['arguments'],
    error: 'Goes with an approval only',
  })
  .refine(({ decision, note }) => decision === 'refused' || note === undefined, {
    path: ['note'],
    error: 'Goes with a refusal only',
  })
  .refine(({ decision, forRun }) => decision === 'approved' || !forRun, {
    path: ['forRun'],
    error: 'Goes with an approval only',
  });
export type DecideApprovalInput = z.infer<typeof DecideApprovalInput>;

export const listApprovals = endpoint({
  name: 'listApprovals',
  method: 'GET',
  path: '/api/approvals',
  access: MEMBERS,
  feature,
  summary: 'List waiting approvals',
  description:
    'Returns the calls of tools that wait for a decision in tasks, chats and sessions, the longest waiting first. Such tasks have the status `waiting`.',
  query: Page,
  status: 200,
  answer: z.array(WaitingApproval),
  answerExample: [
    {
      id: '0193a1b2-0000-7000-8000-000000000006',
      toolId: '0193a1b2-0000-7000-8000-000000000007',
      toolName: 'Orders',
      operation: 'refundOrder',
      arguments: '{"orderId":"7"}',
      step: null,
      createdAt: '2027-01-31T09:30:01.000Z',
      expiresAt: '2027-02-01T09:30:01.000Z',
      taskId: '0193a1b2-0000-8000-8000-000000000001',
      conversationId: null,
      sessionId: null,
      agentId: '0193a1b2-0000-7000-8000-000000000002',
      agentName: 'Support',
      input: 'Refund order 7',
      requestedBy: { id: '0193a1b2-0000-7000-8000-000000000004', name: 'Ada Lovelace' },
    },
  ],
});
export const decideApproval = endpoint({
  name: 'decideApproval',
  method: 'POST',
  path: '/api/tasks/{id}/decide',
  access: AGENT_MANAGERS,
  feature,
  summary: 'Decide on a call',
  description: `Approves or refuses a call that an agent wants to make. The task resumes in the background: after an approval it makes the call, after a refusal the agent reads the note. Without a decision within ${APPROVAL_HOURS} hours the task fails and costs nothing. A tool that was changed in the meantime asks again.`,
  params: z.strictObject({ id: Id }),
  body: DecideApprovalInput,
  example: {
    approvalId: '0193a1b2-0000-7000-8000-000000000006',
    decision: 'refused',
    note: 'Ask the customer for the order number first.',
  },
  status: 200,
  answer: z.object({ taskId: Id, approvalId: Id, decision: z.enum(APPROVAL_DECISIONS) }),
  answerExample: {
    taskId: '0193a1b2-0000-8000-8000-000000000001',
    approvalId: '0193a1b2-0000-7000-8000-000000000006',
    decision: 'refused',
  },
  refusals: [ApprovalDecided, TaskEnded],
});
