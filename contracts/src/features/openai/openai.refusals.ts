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

export const NoEmbeddingModel = refusal(
  'no-embedding-model',
  409,
  'No embedding model',
  () =>
    'This organization has no embedding model. An Admin can choose one under Settings → Models.',
);

/** `available`: the embedding model of the organization. */
export const ModelNotFound = refusal(
  'model-not-found',
  404,
  'Model not found',
  (p: { model: string; available: string }) =>
    `There is no embedding model ${p.model}. Use ${p.available}.`,
);

/** `cause` is the code of the failure, and `causeParams` belong to it. */
export const EmbeddingFailed = refusal(
  'embedding-failed',
  500,
  'Embedding failed',
  (p: { cause: string; causeParams: SentenceParams; sentence: string }) => p.sentence,
);

export const SeveralAgents = refusal(
  'several-agents',
  409,
  'Several agents',
  (p: { name: string }) => `Several agents are called ${p.name}. Use the id of one of them.`,
);
