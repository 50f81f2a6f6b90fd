import { z } from 'zod';
import { ADMINS, AUDIT_READERS, MEMBERS } from '../../kernel/access.ts';
import { Json } from '../../kernel/changes.ts';
import { endpoint } from '../../kernel/endpoint.ts';
import { Id, Instant } from '../../kernel/ids.ts';
import { LIST_LENGTH_MAX, Ordered, Page } from '../../kernel/lists.ts';
import { Moment } from '../../kernel/moment.ts';

/** The kinds of objects, from the first part of a stream's name. */
export const AUDIT_KINDS = [
  'agent',
  'apikey',
  'article',
  'audit',
  'connection',
  'contact',
  'conversation',
  'email',
  'embedding',
  'invitation',
  'ledger',
  'mailbox',
  'organization',
  'payment',
  'playbook',
  'rating',
  'session',
  'task',
  'ticket',
  'tool',
  'user',
  'webhook',
] as const;

/** Replaces personal data that only the person may read, such as the text of a chat. */
export const PRIVATE = 'private';

const Actor = z.object({
  /** member, api-key, worker, reaction, operator, payment-provider, visitor. */
  kind: z.string(),
  id: z.string().nullable(),
});

/** Who did what, when, to what. `sequence` counts from 1 in each organization, without gaps. */
export const AuditEntry = z.object({
  sequence: z.int(),
  /** The event's id. */
  id: Id,
  type: z.string(),
  at: Instant,
  /** Without a name: not a person, or a former member. */
  actor: Actor.extend({ name: z.string().nullable() }),
  /** The caller's network address; `erased` with the person. */
  address: z.string().nullable(),
  signInId: Id.nullable(),
  /** Shared by everything that one call caused. */
  correlationId: z.string(),
  /** The id of the event that caused this one. */
  causationId: z.string().nullable(),
  /** The object of the event. */
  object: z.object({ kind: z.string(), id: z.string(), name: z.string().nullable() }),
  /** The changed fields; texts longer than 2,000 characters are truncated. */
  changes: z.array(
    z.object({ field: z.string(), before: Json.nullable(), after: Json.nullable() }),
  ),
  /** Number of refused calls that the entry counts. */
  count: z.int(),
  /** For an event of the ledger: the sequence of its ledger entry. */
  ledgerEntry: z.int().nullable(),
});
export type AuditEntry = z.infer<typeof AuditEntry>;

/** A kind of object, or an event type such as `AgentCreated`. */
const Kind = z
  .enum(AUDIT_KINDS)
  .or(z.string().regex(/^[A-Z][A-Za-z0-9]{0,63}$/))
  .catch('' as never)
  .refine(Boolean, `kind must be one of ${AUDIT_KINDS.join(', ')}, or the type of an event`);

const name = (parameter: string) =>
  z.string().regex(/^[\w.-]{1,100}$/, `${parameter} must be an id or a kind`);

/** Selects entries; all given conditions must match. */
export const AuditFilter = {
  /** Days (UTC) or moments. A day as `to` is included. */
  from: Moment.from('from').optional(),
  to: Moment.to('to').optional(),
  /** A member's id, or a kind of actor such as `operator`. */
  actor: name('actor').optional(),
  kind: Kind.optional(),
  /** The id of the object. */
  object: name('object').optional(),
  /**
   * Words or prefixes of words in names, texts, addresses and ids, including the correlation id.
   */
  q: z.string('q must be text').max(200, 'q must be at most 200 characters').optional(),
};

const cursor = (shape: RegExp) =>
  z.string().regex(shape, 'Invalid cursor. Use the one from the Link header').optional();

/** Entries are paged by sequence. */
export const LogPage = Page.extend({ cursor: cursor(/^[1-9]\d{0,14}$/) });

/** The cursor of an ascending list is marked. */
export const AuditQuery = LogPage.extend({
  ...AuditFilter,
  ...Ordered,
  cursor: cursor(/^(oldest\.)?[1-9]\d{0,14}$/),
});

/** An entry for everyone who can see its object: without the caller's network address. */
export const LoggedEvent = AuditEntry.omit({ address: true, signInId: true });
export type LoggedEvent = z.infer<typeof LoggedEvent>;

export const HISTORY_PAGE_LENGTH = 100;

export const HistoryQuery = z.strictObject({
  /** The sequence of the last known event. 0, or no value, starts at the first event. */
  after: z
    .string()
    .regex(/^(0|[1-9]\d{0,14})$/, 'after must be the sequence of an event, or 0')
    .default('0')
    .transform(Number),
  limit: Page.shape.limit.default(HISTORY_PAGE_LENGTH),
  kind: Kind.optional(),
});

/**
 * An event as recorded. The schema named like `type` declares `data`: personal data in plain text,
 * `erased`, or `private` if only the person may read it; long texts in full.
 */
export const RecordedEvent = z.object({
  sequence: z.int(),
  id: Id,
  type: z.string(),
  schemaVersion: z.int(),
  at: Instant,
  stream: z.string(),
  actor: Actor.extend({ signInId: Id.nullable() }),
  correlationId: z.string(),
  causationId: z.string().nullable(),
  commandId: Id,
  data: z.record(z.string(), Json),
});
export type RecordedEvent = z.infer<typeof RecordedEvent>;

export const listAuditEntries = endpoint({
  name: 'listAuditEntries',
  method: 'GET',
  path: '/api/audit',
  access: AUDIT_READERS,
  feature: 'audit',
  summary: 'List audit log entries',
  description:
    'Returns the entries that match the filter, newest first unless `order` says otherwise.',
  query: AuditQuery,
  status: 200,
  answer: z.array(AuditEntry),
  answerExample: [
    {
      sequence: 10,
      id: '0193a1b2-0000-7000-8000-000000000001',
      type: 'CreditsReserved',
      at: '2027-01-31T09:30:00.000Z',
      actor: { kind: 'member', id: '0193a1b2-0000-7000-8000-000000000002', name: 'Ada Lovelace' },
      address: '203.0.113.7',
      signInId: '0193a1b2-0000-7000-8000-000000000003',
      correlationId: '0193a1b2-0000-7000-8000-000000000004',
      causationId: null,
      object: {
        kind: 'task',
        id: '0193a1b2-0000-7000-8000-000000000005',
        name: 'How long do returns take?',
      },
      changes: [
        {
          field: 'work',
          before: null,
          after: { id: '0193a1b2-0000-7000-8000-000000000005', kind: 'task' },
        },
        { field: 'price', before: null, after: 1 },
      ],
      count: 1,
      ledgerEntry: 2,
    },
  ],
});
export const listRecordedEvents = endpoint({
  name: 'listRecordedEvents',
  method: 'GET',
  path: '/api/history',
  access: ADMINS,
  feature: 'audit',
  summary: 'List recorded events',
  description: `Returns the events of the organization after a sequence, oldest first. A page has at most ${LIST_LENGTH_MAX} events or about 4 MB. The \`Link\` header always leads on; at the end, to events still to come.`,
  query: HistoryQuery,
  status: 200,
  answer: z.array(RecordedEvent),
  answerExample: [
    {
      sequence: 8,
      id: '0193a1b2-0000-7000-8000-000000000001',
      type: 'AgentCreated',
      schemaVersion: 1,
      at: '2027-01-31T09:30:00.000Z',
      stream: 'agent-0193a1b2-0000-7000-8000-000000000002',
      actor: {
        kind: 'member',
        id: '0193a1b2-0000-7000-8000-000000000003',
        signInId: '0193a1b2-0000-7000-8000-000000000004',
      },
      correlationId: '0193a1b2-0000-7000-8000-000000000005',
      causationId: null,
      commandId: '0193a1b2-0000-7000-8000-000000000006',
      data: {
        name: 'Support',
        agentId: '0193a1b2-0000-7000-8000-000000000002',
        persona: {
          role: 'Support agent',
          expertise: ['Returns'],
          personality: 'Patient, precise and kind',
          responseFormat: 'concise',
          communicationStyle: 'friendly',
        },
        version: 1,
        isActive: true,
        description: 'Answers the questions of customers',
        organizationId: '0193a1b2-0000-7000-8000-000000000007',
      },
    },
  ],
});

const history = {
  method: 'GET',
  query: LogPage,
  status: 200,
  answer: z.array(LoggedEvent),
  answerExample: [
    {
      sequence: 32,
      id: '0193a1b2-0000-7000-8000-000000000001',
      type: 'CreditsReserved',
      at: '2027-01-31T09:30:00.000Z',
      actor: { kind: 'member', id: '0193a1b2-0000-7000-8000-000000000002', name: 'Ada Lovelace' },
      correlationId: '0193a1b2-0000-7000-8000-000000000003',
      causationId: null,
      object: { kind: 'task', id: '0193a1b2-0000-7000-8000-000000000004', name: 'Hello' },
      changes: [
        {
          field: 'work',
          before: null,
          after: { id: '0193a1b2-0000-7000-8000-000000000004', kind: 'task' },
        },
        { field: 'price', before: null, after: 1 },
      ],
      count: 1,
      ledgerEntry: 2,
    },
  ],
} as const;
const one = { params: z.object({ id: Id }) };

export const getTaskHistory = endpoint({
  ...history,
  ...one,
  name: 'getTaskHistory',
  path: '/api/tasks/{id}/history',
  access: MEMBERS,
  feature: 'tasks',
  summary: 'List events of a task',
  description: 'Returns what happened to the task and its credits, newest first.',
});
export const getMemberHistory = endpoint({
  ...history,
  ...one,
  name: 'getMemberHistory',
  path: '/api/members/{id}/history',
  access: ADMINS,
  feature: 'team',
  summary: 'List events of a member',
  description: 'Returns what happened to the member (joined, signed in, changed), newest first.',
});
export const getOrganizationHistory = endpoint({
  ...history,
  name: 'getOrganizationHistory',
  path: '/api/organization/history',
  access: ADMINS,
  feature: 'organizations',
  summary: 'List events of the organization',
  description: 'Returns what happened to the organization itself, newest first.',
});
