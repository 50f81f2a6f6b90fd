import type { LEDGER_ENTRY_KINDS } from '@tallyhand/contracts/features/credits/credits.endpoints';
import type {
  CreditsCharged,
  LedgerEvent,
  Work,
} from '@tallyhand/contracts/features/credits/credits.events';
import type { WorkType } from '@tallyhand/contracts/features/credits/paid-work';
import type { EventOf } from '@tallyhand/contracts/kernel/messages';
import type { Account } from '@tallyhand/read-models/features/credits/ledger.tables';

/** Credits that move: `debit` is charged with them, `credit` receives them. */
export type Transfer = { readonly debit: Account; readonly credit: Account };

/** Work that was paid for, or whose charge was given back. */
export type Usage = {
  readonly change: 'charged' | 'given-back';
  readonly terms: Pick<
    EventOf<typeof CreditsCharged>['data'],
    'reservationId' | 'amount' | 'work' | 'workType' | 'agentId' | 'memberId'
  >;
};

/** What an event means to the ledger's rows. */
export type LedgerLine = {
  readonly kind: (typeof LEDGER_ENTRY_KINDS)[number];
  readonly amount: number;
  /** How what is posted and what is set aside change. */
  readonly posted: number;
  readonly reserved: number;
  /** The double entry of `amount`, or null where nothing moves. */
  readonly transfer: Transfer | null;
  /** What reports on usage count, or null where nothing was used. */
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

const still = { posted: 0, reserved: 0, transfer: null, usage: null };
const receive = (from: Account, amount: number) => ({
  posted: amount,
  reserved: 0,
  usage: null,
  transfer: { debit: from, credit: 'available' as const },
});
const giveBack = (to: Account, amount: number) => ({
  posted: -amount,
  reserved: 0,
  usage: null,
  transfer: { debit: 'available' as const, credit: to },
});
const unreserve = (amount: number) => ({
  posted: 0,
  reserved: -amount,
  usage: null,
  transfer: { debit: 'reserved' as const, credit: 'available' as const },
});

export function lineOf({ type, data }: LedgerEvent): LedgerLine {
  switch (type) {
    case 'CreditsGranted':
      return { ...data, kind: 'granted', ...receive('promotion', data.amount) };
    case 'CreditsPurchased':
      return { ...data, kind: 'purchased', ...receive('payment-clearing', data.amount) };
    case 'CreditsReserved':
      return {
        ...data,
        kind: 'reserved',
        posted: 0,
        reserved: data.amount,
        usage: null,
        transfer: { debit: 'available', credit: 'reserved' },
      };
    case 'ReservationExtended':
      return { ...data, ...still, kind: 'extended', amount: 0 };
    case 'CreditsCharged':
      return {
        ...data,
        kind: 'charged',
        posted: -data.amount,
        reserved: -data.amount,
        transfer: { debit: 'reserved', credit: 'usage' },
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
        ...receive('usage', data.amount),
        usage: { change: 'given-back', terms: data },
      };
    case 'PaymentReversed':
      return {
        ...data,
        kind: 'reversed',
        reason: data.cause,
        ...giveBack('payment-clearing', data.amount),
      };
    case 'PaymentReinstated':
      return { ...data, kind: 'reinstated', ...receive('payment-clearing', data.amount) };
    case 'AdjustmentPosted':
      return { ...data, kind: 'adjusted', ...receive('adjustments', data.amount) };
    case 'SpendLimitSet': {
      const { kind, id } = data.scope;
      return {
        ...still,
        kind: 'limit-set',
        amount: data.monthlyCredits ?? 0,
        ...(data.monthlyCredits === null ? { reason: 'no-limit' } : {}),
        ...(kind === 'agent' ? { agentId: id } : { memberId: id }),
      };
    }
  }
}
