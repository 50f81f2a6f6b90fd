import { z } from 'zod';
import { Id, Instant } from '../../kernel/ids.ts';
import { type EventsOf, event } from '../../kernel/messages.ts';

/** Refused calls. Several of a kind within a minute share one event. */
export const CallRefused = event('CallRefused', {
  /** Null if the call cannot be assigned to an organization. */
  organizationId: Id.nullable(),
  /** The name of the call in the contract. */
  call: z.string(),
  /** The refusal's code. */
  code: z.string(),
  /** The parameters of the newest refusal. */
  params: z.record(z.string(), z.union([z.string(), z.number(), z.boolean(), z.null()])),
  /** Number of requests that the event stands for. */
  count: z.int(),
});

/** A member exported the audit log, or the entries that match a filter. */
export const AuditLogExported = event('AuditLogExported', {
  organizationId: Id,
  exportId: Id,
  format: z.enum(['ndjson', 'csv']),
  /** As requested; empty for the whole log. */
  filter: z.record(z.string(), z.string()),
  /** Number of entries in the log. */
  upTo: z.int(),
});

/** How often an API key was used in one hour; recorded when the hour is over. */
export const ApiKeyUsed = event('ApiKeyUsed', {
  organizationId: Id,
  keyId: Id,
  /** The beginning of the hour. */
  hour: Instant,
  count: z.int(),
});

/** Every event of the stream, by type. */
export const auditEvents = { CallRefused, AuditLogExported, ApiKeyUsed };
export type AuditEvent = EventsOf<typeof auditEvents>;
