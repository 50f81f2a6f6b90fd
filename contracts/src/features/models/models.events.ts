import { z } from 'zod';
import { Id } from '../../kernel/ids.ts';
import { type EventsOf, event } from '../../kernel/messages.ts';
import { versionedEvents } from '../../kernel/versioned-object.ts';

const Price = z.object({
  model: z.string(),
  input: z.number(),
  cachedInput: z.number().nullable(),
  output: z.number(),
});

const connection = versionedEvents(
  'Connection',
  {
    name: z.string(),
    provider: z.string(),
    baseUrl: z.string(),
    models: z.array(z.string()),
    embeddingModel: z.string().nullable(),
    prices: z.array(Price),
    /** The id of the API key in the vault, and what it was entered for; null without a key. */
    key: z.object({ id: Id, provider: z.string(), baseUrl: z.string() }).nullable(),
  },
  // Changes of version 1 had no prices.
  [(data) => data],
);

/** On `connection-{id}`. */
export const ConnectionCreated = event('ConnectionCreated', connection.created.schema.shape, [
  (data) => ({ ...data, prices: [] }),
]);
export const {
  changed: ConnectionChanged,
  deleted: ConnectionDeleted,
  restored: ConnectionRestored,
} = connection;

/** Every event of the stream, by type. */
export const connectionEvents = {
  ConnectionCreated,
  ConnectionChanged,
  ConnectionDeleted,
  ConnectionRestored,
};
export type ConnectionEvent = EventsOf<typeof connectionEvents>;
