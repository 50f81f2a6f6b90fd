import { z } from 'zod';
import { Id, Instant } from '../../kernel/ids.ts';
import { type EventsOf, event } from '../../kernel/messages.ts';
import { Role } from '../../kernel/role.ts';

/** On `apikey-{id}`. The key itself is not stored; only its creator has it. */
export const ApiKeyCreated = event(
  'ApiKeyCreated',
  {
    keyId: Id,
    organizationId: Id,
    name: z.string(),
    role: Role,
    /** A member, or another API key. */
    createdBy: Id,
    expiresAt: Instant.nullable(),
  },
  // The first version had no Auditors.
  [(data) => ({ ...data })],
);
export const ApiKeyRevoked = event('ApiKeyRevoked', { keyId: Id, organizationId: Id });

/** Every event of the stream, by type. */
export const apiKeyEvents = { ApiKeyCreated, ApiKeyRevoked };
export type ApiKeyEvent = EventsOf<typeof apiKeyEvents>;
