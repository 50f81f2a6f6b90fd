import { z } from 'zod';
import { Ciphertext, Id } from '../../kernel/ids.ts';
import { type EventsOf, event } from '../../kernel/messages.ts';

const rating = {
  ratingId: Id,
  organizationId: Id,
  /** The answer: of a task, or a reply of a conversation. */
  taskId: Id.nullable(),
  conversationId: Id.nullable(),
  messageId: Id.nullable(),
  /** A member, or an API key. */
  ratedBy: Id,
};

/** On `rating-{id}`, one stream for each caller and answer. It replaces an earlier rating. */
export const AnswerRated = event('AnswerRated', {
  ...rating,
  agentId: Id,
  /** The version that gave the answer. */
  agentVersion: z.int(),
  rating: z.enum(['up', 'down']),
  /** Encrypted with the key of `ratedBy`. */
  reason: Ciphertext.nullable(),
});
/** Its author took it back. */
export const RatingRemoved = event('RatingRemoved', rating);

/** Every event of the stream, by type. */
export const ratingEvents = { AnswerRated, RatingRemoved };
export type RatingEvent = EventsOf<typeof ratingEvents>;
