import type { LedgerEvent } from '@tallyhand/contracts/features/credits/credits.events';
import type { Row } from '@tallyhand/read-models/read-models';
import { isNextLink } from '@tallyhand/service-kit/crypto/hash-chain';
import type { StoredEvent } from '@tallyhand/service-kit/event-store/event-log';
import type { Happened } from '../../kernel/projection.ts';
import { type LedgerLine, lineOf, type Usage } from './ledger-lines.ts';

/** The newest entry of a ledger; zeros and '' before the first. */
export type Head = { readonly sequence: number; readonly available: number; readonly hash: string };

/** What is wrong with a ledger, and at which of its entries. */
export type Difference = {
  readonly organizationId: string;
  readonly kind: string;
  readonly sequence: number;
  readonly detail: string;
};

export type UsageEntry = Usage & { readonly organizationId: string; readonly at: string };

/** The rows that a batch adds to ledgers, and what is wrong with the events themselves. */
export type Folded = {
  readonly entries: readonly (Row<'ledger_entries'> & { readonly reserved_change: number })[];
  readonly journal: readonly Row<'journal'>[];
  readonly usage: readonly UsageEntry[];
  readonly differences: readonly Difference[];
};

export const EMPTY_LEDGER: Head = { sequence: 0, available: 0, hash: '' };

/**
 * Each event is checked as it is stored: it stands in the ledger's own stream, follows the entry
 * before it without a gap, and is the next link of the chain. A wrong event is counted all the
 * same, so that one fault is one difference.
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
    // An entry that is there already is left as it is.
    if (sequence <= head.sequence) continue;
    if (!isNextLink(head.hash, stored)) differs('chain', 'It is not the link after the one before');
    const line = lineOf(event);
    const available = head.available + line.posted - line.reserved;
    const entry = entryOf(organizationId, sequence, stored, line, available);
    entries.push(entry);
    journal.push(...journalOf(organizationId, sequence, line));
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
  organization_id: organizationId,
  sequence,
  entry_id: id,
  kind: line.kind,
  available_change: line.posted - line.reserved,
  posted_change: line.posted,
  reserved_change: line.reserved,
  available,
  amount: line.amount,
  price: line.price ?? null,
  reason: line.reason ?? null,
  approver: line.approver ?? null,
  reservation_id: line.reservationId ?? null,
  work_kind: line.work?.kind ?? null,
  work_id: line.work?.id ?? null,
  work_type: line.workType ?? null,
  agent_id: line.agentId ?? null,
  member_id: line.memberId ?? null,
  payment_id: line.paymentId ?? null,
  prev: envelope.link?.prev ?? '',
  hash: envelope.link?.hash ?? '',
  at: envelope.recordedAt,
});

/** Two lines for each transfer; what is negative goes the other way. */
export function journalOf(
  organizationId: string,
  sequence: number,
  { transfer, amount }: LedgerLine,
): Row<'journal'>[] {
  if (!transfer || amount === 0) return [];
  const isForward = amount > 0;
  const own = { organization_id: organizationId, sequence };
  const size = Math.abs(amount);
  const { debit, credit } = transfer;
  return [
    { ...own, account: isForward ? debit : credit, debit: size, credit: 0 },
    { ...own, account: isForward ? credit : debit, debit: 0, credit: size },
  ];
}
