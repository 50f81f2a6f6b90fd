import type { LedgerCommand } from '@tallyhand/contracts/features/credits/credits.commands';
import {
  CreditsCharged,
  CreditsGranted,
  CreditsReserved,
  type LedgerEvent,
  ledgerEvents,
  ReservationReleased,
  type Work,
} from '@tallyhand/contracts/features/credits/credits.events';
import {
  InsufficientCredits,
  ReservationDiffers,
  ReservationNotFound,
  ReservationSettled,
} from '@tallyhand/contracts/features/credits/credits.refusals';
import type { Refusal } from '@tallyhand/contracts/kernel/refusal';
import { linkHash } from '@tallyhand/service-kit/crypto/hash-chain';
import type { Decider } from '../../kit/decider.ts';

/** Repeats come within minutes; what was settled longer ago than this many others is forgotten. */
const SETTLED_REMEMBERED_MAX = 10_000;
const SNAPSHOT_EVERY_EVENTS = 1_000;

type Reservation = { readonly amount: number; readonly work: Work };
type Outcome = 'charged' | 'released';

/** One ledger for each organization. `posted - reserved` never falls below zero by spending. */
export type Ledger = {
  head: string;
  posted: number;
  reserved: number;
  grants: Set<string>;
  open: Map<string, Reservation>;
  settled: Map<string, { amount: number; outcome: Outcome }>;
};

type Data<T extends LedgerCommand['type']> = Extract<LedgerCommand, { type: T }>['data'];

export const availableIn = (ledger: Ledger) => ledger.posted - ledger.reserved;

/** Makes an event the next link of the ledger's chain. */
function linked<D extends object>(
  make: { (data: D & { prev: string; hash: string }): LedgerEvent; readonly type: string },
  ledger: Ledger,
  data: D,
): LedgerEvent[] {
  const unhashed = { ...data, prev: ledger.head };
  return [make({ ...unhashed, hash: linkHash(make.type, unhashed) })];
}

function grant(data: Data<'GrantCredits'>, ledger: Ledger) {
  if (ledger.grants.has(data.grantId)) return [];
  return linked(CreditsGranted, ledger, data);
}

function reserve(data: Data<'ReserveCredits'>, ledger: Ledger) {
  const { reservationId, amount } = data;
  // A repeated command is a retry, never a second charge. What was released pays for nothing.
  const settled = ledger.settled.get(reservationId);
  if (settled?.outcome === 'released') return ReservationSettled({ outcome: 'released' });
  const known = ledger.open.get(reservationId) ?? settled;
  if (known) return known.amount === amount ? [] : ReservationDiffers({});
  const available = availableIn(ledger);
  if (amount > available) return InsufficientCredits({ available, requested: amount });
  return linked(CreditsReserved, ledger, data);
}

/** The open reservation that a command is to end, or why there is none: exactly one end each. */
function toSettle(
  ledger: Ledger,
  reservationId: string,
  outcome: Outcome,
): Reservation | Refusal | null {
  const open = ledger.open.get(reservationId);
  if (open) return open;
  const settled = ledger.settled.get(reservationId);
  if (!settled) return ReservationNotFound({});
  return settled.outcome === outcome ? null : ReservationSettled({ outcome: settled.outcome });
}

function charge({ organizationId, reservationId }: Data<'ChargeCredits'>, ledger: Ledger) {
  const found = toSettle(ledger, reservationId, 'charged');
  if (!found) return [];
  if ('kind' in found) return found;
  const { amount, work } = found;
  return linked(CreditsCharged, ledger, { organizationId, reservationId, amount, work });
}

function release(data: Data<'ReleaseReservation'>, ledger: Ledger) {
  const { organizationId, reservationId, reason } = data;
  const found = toSettle(ledger, reservationId, 'released');
  if (!found) return [];
  if ('kind' in found) return found;
  const { amount, work } = found;
  return linked(ReservationReleased, ledger, {
    organizationId,
    reservationId,
    amount,
    work,
    reason,
  });
}

function settle(ledger: Ledger, reservationId: string, amount: number, outcome: Outcome) {
  ledger.open.delete(reservationId);
  ledger.settled.set(reservationId, { amount, outcome });
  if (ledger.settled.size <= SETTLED_REMEMBERED_MAX) return;
  const oldest = ledger.settled.keys().next();
  if (!oldest.done) ledger.settled.delete(oldest.value);
}

function evolve(ledger: Ledger, event: LedgerEvent): Ledger {
  ledger.head = event.data.hash;
  switch (event.type) {
    case 'CreditsGranted':
      ledger.posted += event.data.amount;
      ledger.grants.add(event.data.grantId);
      return ledger;
    case 'CreditsReserved': {
      const { reservationId, amount, work } = event.data;
      ledger.reserved += amount;
      ledger.open.set(reservationId, { amount, work });
      return ledger;
    }
    case 'CreditsCharged':
      ledger.posted -= event.data.amount;
      ledger.reserved -= event.data.amount;
      settle(ledger, event.data.reservationId, event.data.amount, 'charged');
      return ledger;
    case 'ReservationReleased':
      ledger.reserved -= event.data.amount;
      settle(ledger, event.data.reservationId, event.data.amount, 'released');
      return ledger;
  }
}

type Saved = {
  head: string;
  posted: number;
  reserved: number;
  grants: string[];
  open: [string, Reservation][];
  settled: [string, { amount: number; outcome: Outcome }][];
};

export const ledgerDecider: Decider<Ledger, LedgerCommand, LedgerEvent> = {
  category: 'ledger',
  kinds: ledgerEvents,
  initialState: () => ({
    head: '',
    posted: 0,
    reserved: 0,
    grants: new Set(),
    open: new Map(),
    settled: new Map(),
  }),
  evolve,
  decide(command, ledger) {
    switch (command.type) {
      case 'GrantCredits':
        return grant(command.data, ledger);
      case 'ReserveCredits':
        return reserve(command.data, ledger);
      case 'ChargeCredits':
        return charge(command.data, ledger);
      case 'ReleaseReservation':
        return release(command.data, ledger);
    }
  },
  snapshot: {
    version: 1,
    everyEvents: SNAPSHOT_EVERY_EVENTS,
    save: ({ grants, open, settled, ...rest }): Saved => ({
      ...rest,
      grants: [...grants],
      open: [...open],
      settled: [...settled],
    }),
    load: (saved) => {
      const { grants, open, settled, ...rest } = saved as Saved;
      return { ...rest, grants: new Set(grants), open: new Map(open), settled: new Map(settled) };
    },
  },
};
