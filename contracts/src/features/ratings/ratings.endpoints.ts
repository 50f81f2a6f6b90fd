import { z } from 'zod';
import { MEMBERS } from '../../kernel/access.ts';
import { endpoint } from '../../kernel/endpoint.ts';
import { Id, Instant } from '../../kernel/ids.ts';
import { OwnRating, RATINGS, Rating, RatingCounts, REASON_MAX } from './ratings.fields.ts';
import { NothingToRate } from './ratings.refusals.ts';

const params = z.strictObject({ id: Id });
const feature = 'ratings';

/** Null takes the rating back. */
const given = {
  rating: z
    .enum(RATINGS, { error: `rating must be ${RATINGS.join(' or ')}, or null` })
    .nullable()
    .meta({ description: 'Null takes the rating back.' }),
  reason: z
    .string({ error: 'The reason must be a text' })
    .trim()
    .max(REASON_MAX, `The reason must be at most ${REASON_MAX} characters`)
    .optional(),
};

/** The caller's rating after the call; nulls without one. */
export const RatingResult = z.object({
  rating: Rating.nullable(),
  reason: z.string().nullable(),
});
export type RatingResult = z.infer<typeof RatingResult>;

const ratingResultExample: RatingResult = {
  rating: 'down',
  reason: 'It quotes last year’s price.',
};

export const rateTask = endpoint({
  name: 'rateTask',
  method: 'PUT',
  path: '/api/tasks/{id}/rating',
  access: MEMBERS,
  feature,
  summary: 'Rate the answer of a task',
  description: 'Replaces the caller’s rating of a successful task. All members see it.',
  params,
  body: z.strictObject(given),
  example: { rating: 'down', reason: 'It quotes last year’s price.' },
  status: 200,
  answer: RatingResult,
  answerExample: ratingResultExample,
  refusals: [NothingToRate],
});
export const rateReply = endpoint({
  name: 'rateReply',
  method: 'PUT',
  path: '/api/conversations/{id}/rating',
  access: MEMBERS,
  feature,
  summary: 'Rate a reply',
  description:
    'Replaces the caller’s rating of a reply. Members see its reason with the agent, without the conversation.',
  params,
  body: z.strictObject({ messageId: z.uuid({ error: 'messageId must be an id' }), ...given }),
  example: { messageId: '0193a1b2-0000-7000-8000-000000000001', rating: 'up' },
  status: 200,
  answer: RatingResult,
  answerExample: ratingResultExample,
});

/** The versions and reasons that the ratings of an agent list. */
export const RATED_VERSIONS_MAX = 20;
export const REASONS_MAX = 20;

export const AgentRatings = z.object({
  total: RatingCounts,
  /** The current version, and up to 20 with ratings, newest first. */
  versions: z.array(RatingCounts.extend({ version: z.int() })),
  /** The 20 newest ratings with a reason. */
  reasons: z.array(
    OwnRating.extend({
      reason: z.string(),
      version: z.int(),
      /** Null for a reply in a conversation. */
      taskId: Id.nullable(),
      updatedAt: Instant,
    }),
  ),
});
export type AgentRatings = z.infer<typeof AgentRatings>;

export const getAgentRatings = endpoint({
  name: 'getAgentRatings',
  method: 'GET',
  path: '/api/agents/{id}/ratings',
  access: MEMBERS,
  feature,
  summary: 'Retrieve the ratings of an agent',
  description: 'Counts how the answers of each version of the agent were rated.',
  params,
  status: 200,
  answer: AgentRatings,
  answerExample: {
    total: { up: 12, down: 1 },
    versions: [
      { version: 2, up: 4, down: 0 },
      { version: 1, up: 8, down: 1 },
    ],
    reasons: [
      {
        rating: 'down',
        reason: 'It quotes last year’s price.',
        version: 1,
        taskId: '0193a1b2-0000-7000-8000-000000000001',
        updatedAt: '2027-01-31T09:30:00.000Z',
      },
    ],
  },
});
