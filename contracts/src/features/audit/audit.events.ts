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

/** An Auditor, or a key with that role, made a call. Repeats within ten minutes share one event. */
export const AuditorCalled = event('AuditorCalled', {
  organizationId: Id,
  /** The name of the call in the contract. */
  call: z.string(),
  /** The object and the filters; empty where an event stands for many different ones. */
  params: z.record(z.string(), z.string()),
  /** Number of requests that the event stands for. */
  count: z.int(),
});

/** How often an API key was used in one hour; recorded when the hour is over. */
export const ApiKeyUsed = event('ApiKeyUsed', {
  organizationId: Id,
  keyId: Id,
  /** The beginning of the hour. */
  hour: Instant,
  count: z.int(),
});

/** An Admin chose how often a checkpoint of the log leaves the server, and who gets it by email. */
export const CheckpointPublishingChanged = event('CheckpointPublishingChanged', {
  organizationId: Id,
  /** Null: not any more. */
  every: z.enum(['hour', 'day', 'week']).nullable(),
  /** Members. */
  mailTo: z.array(Id),
});

/** A signed checkpoint of the log, for webhooks and mails: what has left the server binds it. */
export const CheckpointPublished = event('CheckpointPublished', {
  organizationId: Id,
  /** The beginning of the hour, day or week (UTC) that it is published for. */
  period: Instant,
  /** Number of entries in the log before this one. */
  size: z.int(),
  checkpoint: z.object({ text: z.string(), keyId: z.string(), signature: z.string() }),
  /** Members who get it by email. */
  mailTo: z.array(Id),
});

const StreamKind = z.enum(['webhook', 'syslog', 'splunk']);

/** An Admin chose where the log is sent, or the same place with other secrets. */
export const LogStreamSet = event('LogStreamSet', {
  organizationId: Id,
  kind: StreamKind,
  /** Scheme, host and port of the receiver: paths often contain a secret. */
  origin: z.string(),
  /** The number of the first entry to send; null: the stream continues, or begins with the next one. */
  from: z.int().nullable(),
});
export const LogStreamEnded = event('LogStreamEnded', { organizationId: Id });
/** Each attempt to send the log has failed since then; recorded once until one succeeds. */
export const LogStreamFailing = event('LogStreamFailing', {
  organizationId: Id,
  kind: StreamKind,
  origin: z.string(),
  since: Instant,
  failure: z.string(),
});

/** Every event of the stream, by type. */
export const auditEvents = {
  CallRefused,
  AuditLogExported,
  ApiKeyUsed,
  AuditorCalled,
  CheckpointPublishingChanged,
  CheckpointPublished,
  LogStreamSet,
  LogStreamEnded,
  LogStreamFailing,
};
export type AuditEvent = EventsOf<typeof auditEvents>;
