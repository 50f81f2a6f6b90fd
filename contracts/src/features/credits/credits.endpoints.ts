import { z } from 'zod';
import { endpoint } from '../../kernel/endpoint.ts';
import { Id, Instant } from '../../kernel/ids.ts';
import { Page } from '../../kernel/lists.ts';
import { Work } from './credits.events.ts';

/** One line of the ledger, newest first in lists. `sequence` counts from 1 in each organization. */
export const LedgerEntry = z.object({
  sequence: z.int(),
  kind: z.enum(['granted', 'reserved', 'charged', 'released']),
  /** Change of what can be spent: negative where credits were set aside. */
  availableChange: z.int(),
  /** Change of what is posted: negative where credits were spent. */
  postedChange: z.int(),
  /** What could be spent after this entry. */
  available: z.int(),
  amount: z.int(),
  reason: z.string().nullable(),
  reservationId: Id.nullable(),
  work: Work.nullable(),
  agentId: Id.nullable(),
  memberId: Id.nullable(),
  hash: z.string(),
  prev: z.string(),
  at: Instant,
});
export type LedgerEntry = z.infer<typeof LedgerEntry>;

/** Why a credit was spent: shown with the task or step that it paid for. */
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

export const listLedgerEntries = endpoint({
  name: 'listLedgerEntries',
  method: 'GET',
  path: '/api/billing/ledger',
  feature: 'credits',
  summary: 'The ledger of the organization, newest entry first',
  query: Page,
  status: 200,
  answer: z.array(LedgerEntry),
});
