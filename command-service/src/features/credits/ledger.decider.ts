import type { LedgerCommand } from '@tallyhand/contracts/features/credits/credits.commands';
import {
  AdjustmentPosted,
  CreditsCharged,
  CreditsGranted,
  CreditsPurchased,
  CreditsRefunded,
  CreditsReserved,
  type LedgerEvent,
  ledgerEvents,
  PaymentReinstated,
  PaymentReversed,
  ReservationExpired,
  ReservationExtended,
  ReservationReleased,
  SpendLimitSet,
  UnbilledUsageRecorded,
} from '@tallyhand/contracts/features/credits/credits.events';
import {
  ChargeNotFound,
  InsufficientCredits,
  PurchaseDiffers,
  PurchaseNotFound,
  ReservationDiffers,
  ReservationIsExpired,
  ReservationNotFound,
  ReservationSettled,
  ReversalTooLarge,
  SpendLimitReached,
} from '@tallyhand/contracts/features/credits/credits.refusals';
import type { RefusalOf } from '@tallyhand/contracts/kernel/refusal';
import { derivedId } from '@tallyhand/service-kit/crypto/ids';
import type { Decider, StreamPolicy } from '../../kit/stream-policy.ts';
import {
  availableIn,
  emptyLedger,
  evolve,
  type Ledger,
  loadLedger,
  monthOf,
  type Outcome,
  type Reservation,
  saveLedger,
  scopeKey,
  scopesOf,
  spentIn,
  type Terms,
} from './ledger-state.ts';

const SNAPSHOT_EVERY_EVENTS = 1_000;
/** Loading a snapshot costs a cold process as much as about twenty events. */
const SNAPSHOT_AT_REST_EVENTS = 20;

type Data<T extends LedgerCommand['type']> = Extract<LedgerCommand, { type: T }>['data'];
export type LedgerRefusal = RefusalOf<
  | typeof ChargeNotFound
  | typeof InsufficientCredits
  | typeof PurchaseDiffers
  | typeof PurchaseNotFound
  | typeof ReservationDiffers
  | typeof ReservationIsExpired
  | typeof ReservationNotFound
  | typeof ReservationSettled
  | typeof ReversalTooLarge
  | typeof SpendLimitReached
>;
type Decision = readonly LedgerEvent[] | LedgerRefusal;

/** The fields that each event of a reservation repeats. */
const termsOf = ({ reservationId, amount, work, workType, agentId, memberId }: Terms): Terms => ({
  reservationId,
  amount,
  work,
  workType,
  agentId,
  memberId,
});

function purchase(data: Data<'PurchaseCredits'>, ledger: Ledger): Decision {
  const known = ledger.purchases.get(data.paymentId);
  if (known) return known.amount === data.amount ? [] : PurchaseDiffers({});
  return [CreditsPurchased(data)];
}

/** Adjusts the reversed credits to the command's total, up or down. */
function reversePayment(data: Data<'ReversePayment'>, ledger: Ledger): Decision {
  const { organizationId, paymentId, reversed, cause } = data;
  const known = ledger.purchases.get(paymentId);
  if (!known) return reversed === 0 ? [] : PurchaseNotFound({});
  if (reversed > known.amount) return ReversalTooLarge({ bought: known.amount });
  const amount = reversed - known.reversed;
  if (amount > 0) return [PaymentReversed({ organizationId, paymentId, amount, cause })];
  if (amount < 0) return [PaymentReinstated({ organizationId, paymentId, amount: -amount })];
  return [];
}

type Together = Data<'ReserveCreditsTogether'>;

function overLimit(
  asked: Omit<Together, 'parts'>,
  requested: number,
  ledger: Ledger,
): LedgerRefusal | undefined {
  for (const scope of scopesOf(asked)) {
    const limit = ledger.limits.get(scopeKey(scope));
    const spent = spentIn(ledger, monthOf(asked.at), scope);
    if (limit === undefined || spent + requested <= limit) continue;
    return SpendLimitReached({ scope: scope.kind, limit, spent, requested });
  }
  return undefined;
}

/** Reserves every part, or none. */
function reserve({ parts, ...asked }: Together, ledger: Ledger): Decision {
  const missing: Together['parts'] = [];
  for (const part of parts) {
    const settled = ledger.settled.get(part.reservationId);
    // A released or expired reservation can't be charged.
    if (settled && settled.outcome !== 'charged') return notOpen(ledger, part.reservationId);
    // A repeated command is a retry, never a second charge.
    const known = ledger.open.get(part.reservationId) ?? settled;
    if (known && known.amount !== part.amount) return ReservationDiffers({});
    if (!known) missing.push(part);
  }
  if (missing.length === 0) return [];
  const requested = missing.reduce((sum, { amount }) => sum + amount, 0);
  const available = availableIn(ledger);
  if (requested > available) return InsufficientCredits({ available, requested });
  const refused = overLimit(asked, requested, ledger);
  if (refused) return refused;
  const { organizationId, expiresAt } = asked;
  return missing.map(({ price, ...part }) =>
    CreditsReserved({ organizationId, ...termsOf({ ...asked, ...part }), price, expiresAt }),
  );
}

function reserveOne(data: Data<'ReserveCredits'>, ledger: Ledger): Decision {
  const { reservationId, amount, work, price, ...asked } = data;
  return reserve({ ...asked, parts: [{ reservationId, amount, work, price }] }, ledger);
}

/** Why a command can't change a reservation: it does not exist, or has ended. */
function notOpen(ledger: Ledger, reservationId: string): LedgerRefusal {
  const outcome = ledger.settled.get(reservationId)?.outcome;
  if (!outcome) return ReservationNotFound({});
  return outcome === 'expired' ? ReservationIsExpired({}) : ReservationSettled({ outcome });
}

/** The open reservation that a command ends; null if it has ended this way already. */
function toSettle(
  ledger: Ledger,
  reservationId: string,
  outcome: Outcome,
): Reservation | LedgerRefusal | null {
  const open = ledger.open.get(reservationId);
  if (open) return open;
  if (ledger.settled.get(reservationId)?.outcome === outcome) return null;
  return notOpen(ledger, reservationId);
}

function extend({ reservationId, ...data }: Data<'ExtendReservation'>, ledger: Ledger): Decision {
  const open = ledger.open.get(reservationId);
  if (!open) return notOpen(ledger, reservationId);
  if (Date.parse(data.expiresAt) <= Date.parse(open.expiresAt)) return [];
  return [ReservationExtended({ ...data, reservationId })];
}

/**
 * Work that ended after its reservation is paid from the current balance, or recorded as unbilled.
 */
function chargeLate(organizationId: string, expired: Reservation, ledger: Ledger): Decision {
  const late = { ...termsOf(expired), reservationId: derivedId(expired.reservationId, 'late') };
  const { price, expiresAt } = expired;
  if (ledger.settled.has(late.reservationId)) return [];
  if (expired.amount > availableIn(ledger)) {
    return [UnbilledUsageRecorded({ organizationId, ...termsOf(expired) })];
  }
  return [
    CreditsReserved({ organizationId, ...late, price, expiresAt }),
    CreditsCharged({ organizationId, ...late, price }),
  ];
}

function charge({ organizationId, reservationId }: Data<'ChargeCredits'>, ledger: Ledger) {
  const outcome = ledger.settled.get(reservationId)?.outcome;
  if (outcome === 'unbilled') return [];
  const expired = outcome === 'expired' && ledger.recent.get(reservationId);
  if (expired) return chargeLate(organizationId, expired, ledger);
  const found = toSettle(ledger, reservationId, 'charged');
  if (!found) return [];
  if ('kind' in found) return found;
  return [CreditsCharged({ organizationId, ...termsOf(found), price: found.price })];
}

function release(data: Data<'ReleaseReservation'>, ledger: Ledger): Decision {
  const { organizationId, reservationId, reason } = data;
  // Expired credits are available again already.
  if (ledger.settled.get(reservationId)?.outcome === 'expired') return [];
  const found = toSettle(ledger, reservationId, 'released');
  if (!found) return [];
  if ('kind' in found) return found;
  return [ReservationReleased({ organizationId, ...termsOf(found), reason })];
}

function expire({ organizationId, reservationId, at }: Data<'ExpireReservation'>, ledger: Ledger) {
  const found = toSettle(ledger, reservationId, 'expired');
  if (!found) return [];
  if ('kind' in found) return found;
  // It was extended in the meantime.
  if (Date.parse(found.expiresAt) > Date.parse(at)) return [];
  return [ReservationExpired({ organizationId, ...termsOf(found) })];
}

function refund(data: Data<'RefundCharge'>, ledger: Ledger): Decision {
  const { organizationId, reservationId, reason, approver } = data;
  const outcome = ledger.settled.get(reservationId)?.outcome;
  if (outcome === 'refunded') return [];
  const charged = outcome === 'charged' && ledger.recent.get(reservationId);
  if (!charged) return ChargeNotFound({});
  return [CreditsRefunded({ organizationId, ...termsOf(charged), reason, approver })];
}

function setLimit(data: Data<'SetSpendLimit'>, ledger: Ledger): Decision {
  const present = ledger.limits.get(scopeKey(data.scope)) ?? null;
  return present === data.monthlyCredits ? [] : [SpendLimitSet(data)];
}

function decide(command: LedgerCommand, ledger: Ledger): Decision {
  switch (command.type) {
    case 'GrantCredits':
      return ledger.grants.has(command.data.grantId) ? [] : [CreditsGranted(command.data)];
    case 'PurchaseCredits':
      return purchase(command.data, ledger);
    case 'ReserveCredits':
      return reserveOne(command.data, ledger);
    case 'ReserveCreditsTogether':
      return reserve(command.data, ledger);
    case 'ExtendReservation':
      return extend(command.data, ledger);
    case 'ChargeCredits':
      return charge(command.data, ledger);
    case 'ReleaseReservation':
      return release(command.data, ledger);
    case 'ExpireReservation':
      return expire(command.data, ledger);
    case 'RefundCharge':
      return refund(command.data, ledger);
    case 'ReversePayment':
      return reversePayment(command.data, ledger);
    case 'PostAdjustment':
      return ledger.adjustments.has(command.data.adjustmentId)
        ? []
        : [AdjustmentPosted(command.data)];
    case 'SetSpendLimit':
      return setLimit(command.data, ledger);
  }
}

export const ledgerDecider: Decider<Ledger, LedgerCommand, LedgerEvent, LedgerRefusal> = {
  initialState: emptyLedger,
  decide,
  evolve,
};

export const ledgerStream: StreamPolicy<Ledger, LedgerCommand, LedgerEvent, LedgerRefusal> = {
  category: 'ledger',
  decider: ledgerDecider,
  begunBy: 'GrantCredits',
  events: ledgerEvents,
  isChained: true,
  snapshot: {
    version: 3,
    everyEvents: SNAPSHOT_EVERY_EVENTS,
    atRestEvents: SNAPSHOT_AT_REST_EVENTS,
    save: saveLedger,
    load: loadLedger,
  },
};
