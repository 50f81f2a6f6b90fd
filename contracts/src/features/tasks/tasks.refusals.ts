import { refusal } from '../../kernel/refusal.ts';

export const TaskEnded = refusal(
  'task-ended',
  409,
  'Task ended',
  (p: { status: 'success' | 'failed' | 'cancelled' }) =>
    p.status === 'cancelled' ? 'This task was already cancelled.' : 'This task has already ended.',
);
export const TaskNotRetried = refusal(
  'task-not-retried',
  409,
  'Task cannot be run again',
  () => 'Only a failed or cancelled task can be run again.',
);
export const NotYourTask = refusal(
  'not-your-task',
  403,
  'Not your task',
  () => 'Only the member who started this task or an Admin can do this.',
);
export const NoPlaybookAssigned = refusal(
  'no-playbook-assigned',
  409,
  'No playbook assigned',
  () => 'This agent has no playbook. Assign one first, or ask a question instead.',
);
export const NoToolAssigned = refusal(
  'no-tool-assigned',
  409,
  'No tool assigned',
  () => 'This agent has no tool that a task can run. Assign one first, or ask a question instead.',
);
export const ApprovalDecided = refusal(
  'approval-decided',
  409,
  'Already decided',
  (p: { decision: 'approved' | 'refused' }) => `This call was already ${p.decision}.`,
);
/** What wanted the call has ended or continued without it. */
export const ApprovalLapsed = refusal(
  'approval-lapsed',
  409,
  'No longer waiting',
  () => 'The agent no longer waits for this call.',
);
/** For clients that expect an answer in the same call. The task resumes after the decision. */
export const TaskWaits = refusal(
  'task-waits',
  409,
  'Waits for approval',
  (p: { taskId: string }) =>
    `The agent wants to call a tool that needs approval. Task ${p.taskId} waits for it.`,
);
