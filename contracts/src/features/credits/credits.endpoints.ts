import { z } from 'zod';
import { ADMINS, AUDIT_READERS } from '../../kernel/access.ts';
import { AsOf, AsOfQuery } from '../../kernel/as-of.ts';
import { endpoint } from '../../kernel/endpoint.ts';
import { Id, Instant } from '../../kernel/ids.ts';
import { Ordered, Page } from '../../kernel/lists.ts';
import { Moment } from '../../kernel/moment.ts';
import { NotFound } from '../../kernel/problem.ts';
import { CREDITS_MAX } from './credits.commands.ts';
import { LimitScope, Work } from './credits.events.ts';
import { WORK_TYPES } from './paid-work.ts';

export const LEDGER_ENTRY_KINDS = [
  'granted',
  'purchased',
  'reserved',
  'extended',
  'charged',
  'released',
  'expired',
  'unbilled',
  'refunded',
  'reversed',
  'reinstated',
  'adjusted',
  'limit-set',
] as const;

/** One ledger entry. Lists are newest first. `sequence` counts from 1 in each organization. */
export const LedgerEntry = z.object({
  id: Id,
  sequence: z.int(),
  kind: z.enum(LEDGER_ENTRY_KINDS),
  /** Change of the available credits; negative when credits were reserved. */
  availableChange: z.int(),
  /** Change of the posted credits; negative when credits were spent. */
  postedChange: z.int(),
  /** Available credits after this entry. */
  available: z.int(),
  amount: z.int(),
  reason: z.string().nullable(),
  /** The operator responsible for an adjustment or a refund. */
  approver: z.string().nullable(),
  reservationId: Id.nullable(),
  /** What the reservation paid for: a task, or a step of a session. */
  work: Work.nullable(),
  /** For a step: its session. */
  sessionId: Id.nullable(),
  workType: z.enum(WORK_TYPES).nullable(),
  agentId: Id.nullable(),
  memberId: Id.nullable(),
  paymentId: Id.nullable(),
  hash: z.string(),
  prev: z.string(),
  at: Instant,
  createdAt: Instant,
});
export type LedgerEntry = z.infer<typeof LedgerEntry>;

/** A group has at most this many entries: its first one and the newest others. */
export const LEDGER_GROUP_ENTRIES_MAX = 50;

/**
 * A reservation with all its entries, oldest first, or another entry alone. `id` and `createdAt` are
 * those of its first entry, so that a group keeps its place when entries are added.
 */
export const LedgerGroup = z.object({
  id: Id,
  createdAt: Instant,
  entries: z.array(LedgerEntry).min(1).max(LEDGER_GROUP_ENTRIES_MAX),
});
export type LedgerGroup = z.infer<typeof LedgerGroup>;

/** Why a credit was spent; shown with the task or step that it paid for. */
export const Charge = z.object({
  sequence: z.int(),
  amount: z.int(),
  price: z.int(),
  memberId: Id.nullable(),
  memberName: z.string().nullable(),
  at: Instant,
  hash: z.string(),
});
export type Charge = z.infer<typeof Charge>;

export const USAGE_GROUPS = ['day', 'agent', 'member', 'type'] as const;

const Day = z.iso.date('Must be a day, as 2026-11-21');

/** Days in UTC, both inclusive; by default the last 30 days. */
export const UsageQuery = z.strictObject({
  by: z
    .enum(USAGE_GROUPS, { error: `by must be one of ${USAGE_GROUPS.join(', ')}` })
    .default('day'),
  from: Day.optional(),
  to: Day.optional(),
});

/** Charged credits minus refunds. */
export const UsageRow = z.object({
  /** The day, the agent's or member's id, or the type of work. */
  key: z.string(),
  /** The name of the agent or member; null if there is none, or no longer. */
  name: z.string().nullable(),
  credits: z.int(),
  /** Number of tasks and steps. */
  count: z.int(),
});
export type UsageRow = z.infer<typeof UsageRow>;

/** A spend limit per calendar month (UTC), and what was spent in the current one. */
export const SpendLimit = z.object({
  scope: LimitScope,
  name: z.string().nullable(),
  monthlyCredits: z.int(),
  usedThisMonth: z.int(),
});
export type SpendLimit = z.infer<typeof SpendLimit>;

const WHOLE_CREDITS = `monthlyCredits must be a whole number from 0 to ${CREDITS_MAX}, or null`;

export const SpendLimitInput = z.strictObject({
  kind: z.enum(['agent', 'member'], { error: 'kind must be agent or member' }),
  id: Id,
  /** Null removes the limit. */
  monthlyCredits: z
    .int(WHOLE_CREDITS)
    .min(0, WHOLE_CREDITS)
    .max(CREDITS_MAX, WHOLE_CREDITS)
    .nullable(),
});

/**
 * The verification of a ledger: every link of the chain, computed from the stored events, and the
 * balance by three methods. `status` null: never verified.
 */
export const Verification = z.object({
  status: z.enum(['running', 'passed', 'failed']).nullable(),
  startedAt: Instant.nullable(),
  finishedAt: Instant.nullable(),
  /** Number of verified events. */
  entries: z.int(),
  head: z.string().nullable(),
  /** The first entry that is altered, missing or out of order; null if all are correct. */
  brokenAt: z.int().nullable(),
  /** The balance by the ledger's events, by the read model, and by double entry. */
  available: z
    .object({
      events: z.int(),
      readModel: z.int(),
      trialBalance: z.int(),
    })
    .nullable(),
  debits: z.int().nullable(),
  credits: z.int().nullable(),
});
export type Verification = z.infer<typeof Verification>;

/** Totals of one account of the double entry. */
export const AccountBalance = z.object({
  account: z.string(),
  debits: z.int(),
  credits: z.int(),
});
export type AccountBalance = z.infer<typeof AccountBalance>;

/** A file of what happened in a period. */
export const CsvOfPeriod = z
  .strictObject({
    format: z.enum(['csv'], { error: 'format must be csv' }).default('csv'),
    from: Moment.from('from')
      .meta({ description: 'Recorded on this day (UTC), or at this moment, or later.' })
      .optional(),
    to: Moment.to('to')
      .meta({ description: 'Recorded until the end of this day (UTC), or before this moment.' })
      .optional(),
  })
  .refine(({ from, to }) => from === undefined || to === undefined || from < to, {
    path: ['from'],
    message: 'from must not be after to',
  });

const feature = 'credits';

const ledgerEntryExample: LedgerEntry = {
  id: '0193a1b2-0000-7000-8000-000000000001',
  sequence: 5,
  kind: 'charged',
  availableChange: 0,
  postedChange: -1,
  available: 99,
  amount: 1,
  reason: null,
  approver: null,
  reservationId: '0193a1b2-0000-7000-8000-000000000002',
  work: { kind: 'task', id: '0193a1b2-0000-7000-8000-000000000002' },
  sessionId: null,
  workType: 'query',
  agentId: '0193a1b2-0000-7000-8000-000000000004',
  memberId: '0193a1b2-0000-7000-8000-000000000005',
  paymentId: null,
  hash: '3b7f2a9c5d1e48607f93b2c4d6e8a0125c7e9f1b3d5a78604e2c9b1d7f3a5e80',
  prev: '3b7f2a9c5d1e48607f93b2c4d6e8a0125c7e9f1b3d5a78604e2c9b1d7f3a5e80',
  at: '2027-01-31T09:30:00.000Z',
  createdAt: '2027-01-31T09:30:00.000Z',
};

export const listLedgerEntries = endpoint({
  name: 'listLedgerEntries',
  method: 'GET',
  path: '/api/billing/ledger',
  access: AUDIT_READERS,
  feature,
  summary: 'List ledger entries',
  description:
    'Returns the ledger of the organization, newest entry first unless `order` says otherwise.',
  query: Page.extend({ asOf: AsOf, ...Ordered }),
  status: 200,
  answer: z.array(LedgerEntry),
  answerExample: [ledgerEntryExample],
});
export const listLedgerGroups = endpoint({
  name: 'listLedgerGroups',
  method: 'GET',
  path: '/api/billing/ledger/groups',
  access: AUDIT_READERS,
  feature,
  summary: 'List ledger entries by reservation',
  description:
    'Returns the ledger with the entries of each reservation together, in the order of their first entries.',
  query: Page.extend({
    ...Ordered,
    entry: z
      .string()
      .regex(/^[1-9]\d{0,14}$/, 'entry must be the sequence of a ledger entry')
      .meta({ description: 'Starts with the group of the entry that has this sequence.' })
      .optional(),
  }),
  status: 200,
  answer: z.array(LedgerGroup),
  answerExample: [
    {
      id: ledgerEntryExample.id,
      createdAt: ledgerEntryExample.createdAt,
      entries: [ledgerEntryExample],
    },
  ],
});
export const exportLedger = endpoint({
  name: 'exportLedger',
  method: 'GET',
  path: '/api/billing/ledger/export',
  access: AUDIT_READERS,
  feature,
  summary: 'Export the ledger',
  description:
    'Returns the ledger as CSV, oldest entry first: all of it, or the entries of a period.',
  query: CsvOfPeriod,
  status: 200,
  media: 'text/csv',
});
export const getTrialBalance = endpoint({
  name: 'getTrialBalance',
  method: 'GET',
  path: '/api/billing/trial-balance',
  access: AUDIT_READERS,
  feature,
  summary: 'Retrieve the trial balance',
  description:
    'Returns the accounts of the double entry, now or at any moment. Debits equal credits.',
  query: AsOfQuery,
  status: 200,
  answer: z.array(AccountBalance),
  answerExample: [{ account: 'usage', debits: 0, credits: 8 }],
});
export const getUsage = endpoint({
  name: 'getUsage',
  method: 'GET',
  path: '/api/billing/usage',
  access: ADMINS,
  feature,
  summary: 'Retrieve usage',
  description: 'Returns the credits spent, grouped by day, agent, member or type of work.',
  query: UsageQuery,
  status: 200,
  answer: z.array(UsageRow),
  answerExample: [{ key: '2027-01-31', name: null, credits: 12, count: 12 }],
});
export const listLimits = endpoint({
  name: 'listLimits',
  method: 'GET',
  path: '/api/billing/limits',
  access: ADMINS,
  feature,
  summary: 'List spending limits',
  description: 'Returns the monthly limits of agents and members.',
  status: 200,
  answer: z.array(SpendLimit),
  answerExample: [
    {
      scope: { kind: 'agent', id: '0193a1b2-0000-7000-8000-000000000001' },
      name: 'Support',
      monthlyCredits: 500,
      usedThisMonth: 12,
    },
  ],
});
export const setLimit = endpoint({
  name: 'setLimit',
  method: 'PUT',
  path: '/api/billing/limits',
  access: ADMINS,
  feature,
  summary: 'Set a spending limit',
  description: 'Sets, changes or removes the monthly limit of an agent or a member.',
  body: SpendLimitInput,
  example: { kind: 'agent', id: '0193a1b2-0000-7000-8000-000000000001', monthlyCredits: 50 },
  status: 200,
  answer: SpendLimit.pick({ scope: true }).extend({ monthlyCredits: z.int().nullable() }),
  answerExample: {
    scope: { kind: 'agent', id: '0193a1b2-0000-7000-8000-000000000001' },
    monthlyCredits: 500,
  },
  // The agent or member that the body names.
  refusals: [NotFound],
});
export const getVerification = endpoint({
  name: 'getVerification',
  method: 'GET',
  path: '/api/billing/verification',
  access: AUDIT_READERS,
  feature,
  summary: 'Retrieve the ledger verification',
  description: 'Returns the latest verification of the ledger.',
  status: 200,
  answer: Verification,
  answerExample: {
    status: 'passed',
    startedAt: '2027-01-31T09:30:00.000Z',
    finishedAt: '2027-01-31T09:30:01.200Z',
    entries: 120,
    head: '3b7f2a9c5d1e48607f93b2c4d6e8a0125c7e9f1b3d5a78604e2c9b1d7f3a5e80',
    brokenAt: null,
    available: { events: 88, readModel: 88, trialBalance: 88 },
    debits: 212,
    credits: 212,
  },
});
export const startVerification = endpoint({
  name: 'startVerification',
  method: 'POST',
  path: '/api/billing/verification',
  access: AUDIT_READERS,
  feature,
  summary: 'Verify the ledger',
  description:
    'Verifies the whole ledger in the background. Retrieve the result with `getVerification`.',
  status: 202,
  answer: z.object({ status: z.literal('running') }),
  answerExample: { status: 'running' },
});
