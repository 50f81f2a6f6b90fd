import { z } from 'zod';
import { Id } from '../../kernel/ids.ts';

const Count = z.int().min(0);

/** The tokens of model calls. */
export const TokenUsage = z.object({
  inputTokens: Count,
  /** The part of the input that the endpoint had cached. */
  cachedTokens: Count,
  outputTokens: Count,
  /** The endpoint did not count them. */
  isEstimated: z.boolean(),
});
export type TokenUsage = z.infer<typeof TokenUsage>;

/** The answered calls of one model for a piece of work. Failed calls are not counted. */
export const ModelUsage = TokenUsage.extend({
  /** Null for the model of the installation. */
  connectionId: Id.nullable(),
  model: z.string().max(200),
  calls: Count,
  /** Of all calls together. */
  latencyMs: Count,
  /** In millionths of a US dollar; null where the model has no price. */
  costMicros: Count.nullable(),
});
export type ModelUsage = z.infer<typeof ModelUsage>;

/** What answered calls of models cost together. */
export const ModelCost = z.object({
  calls: z.int(),
  /** Calls whose tokens the endpoint did not count. */
  estimatedCalls: z.int(),
  /** Calls of models without a price; `costMicros` does not include them. */
  unpricedCalls: z.int(),
  /** In millionths of a US dollar. */
  costMicros: z.int(),
});
export type ModelCost = z.infer<typeof ModelCost>;
