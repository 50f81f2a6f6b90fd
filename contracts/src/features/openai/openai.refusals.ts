import { refusal } from '../../kernel/refusal.ts';
import type { SentenceParams } from '../../kernel/sentence.ts';

/** `cause` is the code of the failure, and `causeParams` belong to it. */
export const TaskNotSucceeded = refusal(
  'task-failed',
  500,
  'Task failed',
  (p: { taskId: string; cause: string; causeParams: SentenceParams; sentence: string }) =>
    p.sentence,
);

export const SeveralAgents = refusal(
  'several-agents',
  409,
  'Several agents',
  (p: { name: string }) => `Several agents are called ${p.name}. Use the id of one of them.`,
);
