import { z } from 'zod';
import { endpoint } from '../../kernel/endpoint.ts';
import { TokenBudgetExceeded } from '../chat/chat.refusals.ts';
import {
  EMBEDDING_DIMENSIONS_MAX,
  EmbeddingModelName,
  EmbeddingTexts,
  ignored,
  OF_OPENAI,
} from './openai.fields.ts';
import { EmbeddingFailed, ModelNotFound, NoEmbeddingModel } from './openai.refusals.ts';

const DIMENSIONS = `dimensions must be a whole number from 1 to ${EMBEDDING_DIMENSIONS_MAX}`;

export const EmbeddingsInput = z.strictObject({
  model: EmbeddingModelName,
  input: EmbeddingTexts,
  /** `base64`: the bytes of 32-bit floats, the lowest first. */
  encoding_format: z
    .enum(['float', 'base64'], { error: 'encoding_format must be float or base64' })
    .nullish(),
  /** Only for models that can shorten their vectors. */
  dimensions: z
    .int({ error: DIMENSIONS })
    .min(1, DIMENSIONS)
    .max(EMBEDDING_DIMENSIONS_MAX, DIMENSIONS)
    .nullish(),
  ...ignored('user'),
});
export type EmbeddingsInput = z.infer<typeof EmbeddingsInput>;

export const Embeddings = z.object({
  object: z.literal('list'),
  data: z.array(
    z.object({
      object: z.literal('embedding'),
      index: z.int(),
      /** Of length 1. A text if `encoding_format` is `base64`. */
      embedding: z.union([z.array(z.number()), z.string()]),
    }),
  ),
  model: z.string(),
  usage: z.object({ prompt_tokens: z.int(), total_tokens: z.int() }),
});
export type Embeddings = z.infer<typeof Embeddings>;

export const createEmbeddings = endpoint({
  ...OF_OPENAI,
  name: 'createEmbeddings',
  method: 'POST',
  path: '/v1/embeddings',
  summary: 'Create embeddings',
  description:
    "Turns texts into vectors with the embedding model of the organization, and answers as OpenAI's API does. Costs no credits. Its tokens count against the monthly token budget of chat.",
  body: EmbeddingsInput,
  example: { model: 'text-embedding-3-small', input: 'How long can items be returned?' },
  // An answer can be several megabytes, which would be stored, and a repeat changes nothing.
  isKeyless: true,
  answer: Embeddings,
  answerExample: {
    object: 'list',
    data: [{ object: 'embedding', index: 0, embedding: [0.6, -0.8] }],
    model: 'text-embedding-3-small',
    usage: { prompt_tokens: 8, total_tokens: 8 },
  },
  refusals: [NoEmbeddingModel, ModelNotFound, TokenBudgetExceeded, EmbeddingFailed],
});
