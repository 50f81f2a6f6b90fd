import {
  type EmbeddingEvent,
  embeddingEvents,
  TextsEmbedded,
} from '@tallyhand/contracts/features/openai/openai.events';
import type { EventValue } from '@tallyhand/contracts/kernel/messages';
import type { Decider, StreamPolicy } from '../../kit/stream-policy.ts';

type RecordEmbedding = EventValue<'RecordEmbedding', Parameters<typeof TextsEmbedded>[0]>;

/** Whether the call was recorded. */
const embeddingDecider: Decider<boolean, RecordEmbedding, EmbeddingEvent, never> = {
  initialState: () => false,
  decide: ({ data }, isRecorded) => (isRecorded ? [] : [TextsEmbedded(data)]),
  evolve: () => true,
};

export const embeddingStream: StreamPolicy<boolean, RecordEmbedding, EmbeddingEvent, never> = {
  category: 'embedding',
  decider: embeddingDecider,
  events: embeddingEvents,
  begunBy: 'RecordEmbedding',
  isFinal: (isRecorded) => isRecorded,
  cachedMax: 100,
};
