import { z } from 'zod';
import { ADMINS, MEMBERS } from '../../kernel/access.ts';
import { endpoint } from '../../kernel/endpoint.ts';
import { Instant } from '../../kernel/ids.ts';

export const MONTHLY_TOKENS_MAX = 1_000_000_000_000;
const WHOLE_TOKENS = `monthlyTokens must be a whole number from 0 to ${MONTHLY_TOKENS_MAX}, or null`;

/**
 * The tokens that chat and embeddings of the API may use in a calendar month (UTC), and those that they
 * have used.
 */
export const ChatBudget = z.object({
  /** Null without a limit. */
  monthlyTokens: z.int().nullable(),
  /** Input and output of this month. The built-in engine uses none. */
  usedTokens: z.int(),
  /** When the next month begins. */
  resetsAt: Instant,
});
export type ChatBudget = z.infer<typeof ChatBudget>;

export const ChatBudgetInput = z.strictObject({
  monthlyTokens: z
    .int({ error: WHOLE_TOKENS })
    .min(0, WHOLE_TOKENS)
    .max(MONTHLY_TOKENS_MAX, WHOLE_TOKENS)
    .nullable(),
});
export type ChatBudgetInput = z.infer<typeof ChatBudgetInput>;

const common = { path: '/api/chat-budget', feature: 'chat', status: 200 } as const;

export const getChatBudget = endpoint({
  ...common,
  name: 'getChatBudget',
  method: 'GET',
  access: MEMBERS,
  summary: 'Retrieve the token budget of chat',
  description:
    'Returns how many tokens chat and `/v1/embeddings` may use in a month, and how many they have used.',
  answer: ChatBudget,
  answerExample: {
    monthlyTokens: 5_000_000,
    usedTokens: 1_204_310,
    resetsAt: '2027-02-01T00:00:00.000Z',
  },
});
export const setChatBudget = endpoint({
  ...common,
  name: 'setChatBudget',
  method: 'PUT',
  access: ADMINS,
  summary: 'Set the token budget of chat',
  description:
    'Once it is used up, messages and calls of `/v1/embeddings` are refused until the next month. A reply that has begun is completed.',
  body: ChatBudgetInput,
  example: { monthlyTokens: 5_000_000 },
  answer: ChatBudgetInput,
  answerExample: { monthlyTokens: 5_000_000 },
});
