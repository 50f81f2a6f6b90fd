import { z } from 'zod';
import { Id, Instant } from '../../kernel/ids.ts';
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

/** Somebody took the audit log, or what a filter finds in it, out of the product. */
export const AuditLogExported = event('AuditLogExported', {
  organizationId: Id,
  exportId: Id,
  format: z.enum(['ndjson', 'csv']),
  /** As it was given; empty for the whole log. */
  filter: z.record(z.string(), z.string()),
  /** How many entries the log had. */
  upTo: z.int(),
});

/** How often an API key was used in an hour, told when that is over. */
export const ApiKeyUsed = event('ApiKeyUsed', {
  organizationId: Id,
  keyId: Id,
  /** When the hour began. */
  hour: Instant,
  count: z.int(),
});

/** Every event of the stream, by type. */
export const auditEvents = { CallRefused, AuditLogExported, ApiKeyUsed };
export type AuditEvent = EventsOf<typeof auditEvents>;
