import { z } from 'zod';
import { Id } from '../../kernel/ids.ts';
import { type EventsOf, event } from '../../kernel/messages.ts';

/** Calls that were refused; many of a kind within a minute are told by one event. */
export const CallRefused = event('CallRefused', {
  /** Null where a call can't be assigned to an organization. */
  organizationId: Id.nullable(),
  /** The name of the call in the contract. */
  call: z.string(),
  /** The code of the refusal. */
  code: z.string(),
  /** Of the newest of them: what the refusal was about. */
  params: z.record(z.string(), z.union([z.string(), z.number(), z.boolean(), z.null()])),
  /** How many calls it tells of. */
  count: z.int(),
});

/** Every event of the stream, by type. */
export const auditEvents = { CallRefused };
export type AuditEvent = EventsOf<typeof auditEvents>;
