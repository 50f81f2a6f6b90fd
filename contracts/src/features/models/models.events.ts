import { z } from 'zod';
import { Id } from '../../kernel/ids.ts';
import type { EventsOf } from '../../kernel/messages.ts';
import { versionedEvents } from '../../kernel/versioned-object.ts';

/** On `connection-{id}`. */
export const {
  created: ConnectionCreated,
  changed: ConnectionChanged,
  deleted: ConnectionDeleted,
  restored: ConnectionRestored,
} = versionedEvents('Connection', {
  name: z.string(),
  provider: z.string(),
  baseUrl: z.string(),
  models: z.array(z.string()),
  embeddingModel: z.string().nullable(),
  /** The id of the API key in the vault, and what it was entered for; null without a key. */
  key: z.object({ id: Id, provider: z.string(), baseUrl: z.string() }).nullable(),
});

/** Every event of the stream, by type. */
export const connectionEvents = {
  ConnectionCreated,
  ConnectionChanged,
  ConnectionDeleted,
  ConnectionRestored,
};
export type ConnectionEvent = EventsOf<typeof connectionEvents>;
