import type { LEDGER_ENTRY_KINDS } from '@tallyhand/contracts/features/credits/credits.endpoints';
import type {
  CreditsCharged,
  LedgerEvent,
  SpendLimitSet,
  Work,
} from '@tallyhand/contracts/features/credits/credits.events';
import type { WorkType } from '@tallyhand/contracts/features/credits/paid-work';
import type { EventOf } from '@tallyhand/contracts/kernel/messages';
import { journalLines, POSTINGS } from '@tallyhand/contracts/kernel/postings';
import type { Row } from '@tallyhand/read-models/read-models';
import { isNextLink } from '@tallyhand/service-kit/crypto/hash-chain';
import type { StoredEvent } from '@tallyhand/service-kit/event-store/event-log';
import type { Happened } from '../../kernel/projection.ts';
import { newRow } from '../../kernel/rows.ts';

/** The newest entry of a ledger; zeros and '' before the first one. */
export type Head = { readonly sequence: number; readonly available: number; readonly hash: string };

/** A fault in a ledger, and the entry where it is. */
export type Difference = {
  readonly organizationId: string;
  readonly kind: string;
  readonly sequence: number;
  readonly detail: string;
};

export type UsageEntry = Usage & { readonly organizationId: string; readonly at: string };

/** The rows that a batch adds to ledgers, and faults in the events themselves. */
export type Folded = {
  readonly entries: readonly (Row<'ledger_entries'> & { readonly reserved_change: number })[];
  readonly journal: readonly Row<'journal'>[];
  readonly usage: readonly UsageEntry[];
  readonly differences: readonly Difference[];
};

const EMPTY_LEDGER: Head = { sequence: 0, available: 0, hash: '' };

/**
 * Each event is checked: it is in the ledger's own stream, follows the previous entry without a
 * gap, and is the next link of the chain. A faulty event still counts, so that one fault is one
 * difference.
 */
export function foldLedgers(
  happened: readonly Happened<LedgerEvent>[],
  headsBefore: ReadonlyMap<string, Head>,
): Folded {
  const heads = new Map(headsBefore);
  const entries: Folded['entries'][number][] = [];
  const journal: Row<'journal'>[] = [];
  const usage: UsageEntry[] = [];
  const differences: Difference[] = [];
  for (const { stored, event } of happened) {
    const { organizationId } = event.data;
    const sequence = Number(stored.revision) + 1;
    const head = heads.get(organizationId) ?? EMPTY_LEDGER;
    const differs = (kind: string, detail: string) =>
      differences.push({ organizationId, kind, sequence, detail });
    if (stored.stream !== `ledger-${organizationId}`) {
      differs('stream', `The event ${stored.id} stands in ${stored.stream}`);
      continue;
    }
    if (sequence !== head.sequence + 1) differs('sequence', `It follows entry ${head.sequence}`);
    // Existing entries stay as they are.
    if (sequence <= head.sequence) continue;
    if (!isNextLink(head.hash, stored)) differs('chain', 'It is not the link after the one before');
    const line = lineOf(event);
    const available = head.available + line.posted - line.reserved;
    const entry = entryOf(organizationId, sequence, stored, line, available);
    entries.push(entry);
    for (const one of journalLines(POSTINGS[event.type], line.amount)) {
      journal.push({ organization_id: organizationId, sequence, ...one });
    }
    if (line.usage) {
      usage.push({ organizationId, at: stored.envelope.recordedAt, ...line.usage });
    }
    heads.set(organizationId, { sequence, available, hash: entry.hash });
  }
  return { entries, journal, usage, differences };
}

const entryOf = (
  organizationId: string,
  sequence: number,
  { id, envelope }: StoredEvent,
  line: LedgerLine,
  available: number,
): Folded['entries'][number] => ({
  ...newRow('ledger_entries', line, envelope.recordedAt, {
    organization_id: organizationId,
    sequence,
    entry_id: id,
    available_change: line.posted - line.reserved,
    posted_change: line.posted,
    available,
    work_kind: line.work?.kind ?? null,
    work_id: line.work?.id ?? null,
    prev: envelope.link?.prev ?? '',
    hash: envelope.link?.hash ?? '',
    at: envelope.recordedAt,
  }),
  reserved_change: line.reserved,
});

/** Work that was charged or refunded. */
type Usage = {
  readonly change: 'charged' | 'given-back';
  readonly terms: Pick<
    EventOf<typeof CreditsCharged>['data'],
    'reservationId' | 'amount' | 'work' | 'workType' | 'agentId' | 'memberId'
  >;
};

/** The effect of an event on the ledger's rows. */
type LedgerLine = {
  readonly kind: (typeof LEDGER_ENTRY_KINDS)[number];
  readonly amount: number;
  /** The changes of the posted and the reserved balance. */
  readonly posted: number;
  readonly reserved: number;
  /** The effect on usage reports, or null. */
  readonly usage: Usage | null;
  readonly price?: number;
  readonly reason?: string;
  readonly approver?: string;
  readonly reservationId?: string;
  readonly work?: Work;
  readonly workType?: WorkType;
  readonly agentId?: string;
  readonly memberId?: string | null;
  readonly paymentId?: string;
};

const still = { posted: 0, reserved: 0, usage: null };
const post = (amount: number) => ({ posted: amount, reserved: 0, usage: null });
const unreserve = (amount: number) => ({ posted: 0, reserved: -amount, usage: null });

type Scope = EventOf<typeof SpendLimitSet>['data']['scope'];
const SCOPES: Readonly<Record<Scope['kind'], (id: string) => Partial<LedgerLine>>> = {
  agent: (agentId) => ({ agentId }),
  member: (memberId) => ({ memberId }),
};

export function lineOf({ type, data }: LedgerEvent): LedgerLine {
  switch (type) {
    case 'CreditsGranted':
      return { ...data, kind: 'granted', ...post(data.amount) };
    case 'CreditsPurchased':
      return { ...data, kind: 'purchased', ...post(data.amount) };
    case 'CreditsReserved':
      return {
        ...data,
        kind: 'reserved',
        posted: 0,
        reserved: data.amount,
        usage: null,
      };
    case 'ReservationExtended':
      return { ...data, ...still, kind: 'extended', amount: 0 };
    case 'CreditsCharged':
      return {
        ...data,
        kind: 'charged',
        posted: -data.amount,
        reserved: -data.amount,
        usage: { change: 'charged', terms: data },
      };
    case 'ReservationReleased':
      return { ...data, kind: 'released', ...unreserve(data.amount) };
    case 'ReservationExpired':
      return { ...data, kind: 'expired', ...unreserve(data.amount) };
    case 'UnbilledUsageRecorded':
      return { ...data, ...still, kind: 'unbilled' };
    case 'CreditsRefunded':
      return {
        ...data,
        kind: 'refunded',
        ...post(data.amount),
        usage: { change: 'given-back', terms: data },
      };
    case 'PaymentReversed':
      return {
        ...data,
        kind: 'reversed',
        reason: data.cause,
        ...post(-data.amount),
      };
    case 'PaymentReinstated':
      return { ...data, kind: 'reinstated', ...post(data.amount) };
    case 'AdjustmentPosted':
      return { ...data, kind: 'adjusted', ...post(data.amount) };
    case 'SpendLimitSet': {
      const { kind, id } = data.scope;
      return {
        ...still,
        kind: 'limit-set',
        amount: data.monthlyCredits ?? 0,
        ...(data.monthlyCredits === null ? { reason: 'no-limit' } : {}),
        ...SCOPES[kind](id),
      };
    }
  }
}
