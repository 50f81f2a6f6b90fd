import { refusal } from '../../kernel/refusal.ts';

export const EmbeddingModelMissing = refusal(
  'embedding-model-missing',
  409,
  'No embedding model',
  () => 'This connection has no embedding model. Add one to it first.',
);
