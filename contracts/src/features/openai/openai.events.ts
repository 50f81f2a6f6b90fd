import { z } from 'zod';
import { Id } from '../../kernel/ids.ts';
import { type EventsOf, event } from '../../kernel/messages.ts';
import { ModelUsage } from '../models/model-usage.ts';

/** On `embedding-{id}`, one stream for each call. It has ended, perhaps with a failure. */
export const TextsEmbedded = event('TextsEmbedded', {
  embeddingId: Id,
  organizationId: Id,
  /** A member, or an API key. */
  requestedBy: Id,
  /** The texts that the model has embedded. */
  texts: z.int(),
  usage: z.array(ModelUsage),
});

/** Every event of the stream, by type. */
export const embeddingEvents = { TextsEmbedded };
export type EmbeddingEvent = EventsOf<typeof embeddingEvents>;
