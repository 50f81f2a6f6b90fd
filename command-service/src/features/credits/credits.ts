import {
  ChargeCredits,
  ExpireReservation,
  ExtendReservation,
  GrantCredits,
  type LedgerCommand,
  PostAdjustment,
  PurchaseCredits,
  RefundCharge,
  ReleaseReservation,
  ReserveCredits,
  ReversePayment,
  SetSpendLimit,
} from '@tallyhand/contracts/features/credits/credits.commands';
import type { LimitScope } from '@tallyhand/contracts/features/credits/credits.events';
import { SIGN_UP_CREDITS } from '@tallyhand/contracts/features/credits/credits.prices';
import { ReservationNotFound } from '@tallyhand/contracts/features/credits/credits.refusals';
import { WORK_KIND_OF, type WorkType } from '@tallyhand/contracts/features/credits/paid-work';
import { isRefusal, type Refusal } from '@tallyhand/contracts/kernel/refusal';
import { derivedId } from '@tallyhand/service-kit/crypto/ids';
import type { Kit } from '../../kit/app.ts';
import type { CommandContext } from '../../kit/context.ts';
import { ledgerDecider, ledgerStream } from './ledger.decider.ts';
import { availableIn } from './ledger-state.ts';

/** Longer than any deadline; who works for longer extends it. */
const RESERVATION_MINUTES = 10;

type ReleaseReason = Parameters<typeof ReleaseReservation>[0]['reason'];

type WorkToPay = {
  readonly organizationId: string;
  /** The id of the task, or of the session's step. */
  readonly workId: string;
  readonly workType: WorkType;
  readonly agentId: string;
  /** Null where no member asked for it. */
  readonly memberId: string | null;
  readonly price: number;
};

/** Who stands for an operator's decision, and why. */
type Decided = { readonly reason: string; readonly approver: string };

/** The ledger as other features use it. Every call may be repeated. */
export type Credits = ReturnType<typeof creditsOf>;

export function creditsOf(kit: Kit) {
  const ledgers = kit.streams.of(ledgerStream);
  const send: Send = async (context, command) => {
    const answer = await ledgers.send(command.data.organizationId, command, context);
    return isRefusal(answer) ? answer : null;
  };
  return {
    available: async (organizationId: string): Promise<number> =>
      availableIn(await ledgers.load(organizationId)),
    /** Why a price could not be set aside now; nothing is. */
    async wouldRefuse(context: CommandContext, work: WorkToPay): Promise<Refusal | null> {
      const ledger = await ledgers.load(work.organizationId);
      const decided = ledgerDecider.decide(reservationFor(context, work), ledger);
      return isRefusal(decided) ? decided : null;
    },
    ...reservationsBy(send, kit),
    ...moneyBy(send),
  };
}

const expiry = ({ now }: CommandContext) =>
  new Date(now.getTime() + RESERVATION_MINUTES * 60_000).toISOString();

const reservationFor = (context: CommandContext, { workId, ...work }: WorkToPay) =>
  ReserveCredits({
    ...work,
    reservationId: workId,
    amount: work.price,
    work: { kind: WORK_KIND_OF[work.workType], id: workId },
    at: context.now.toISOString(),
    expiresAt: expiry(context),
  });

type Send = (context: CommandContext, command: LedgerCommand) => Promise<Refusal | null>;

/** What must not be refused: a refusal here is a bug. */
const mustBy = (send: Send) => async (context: CommandContext, command: LedgerCommand) => {
  const refused = await send(context, command);
  if (refused) throw new Error(`The ledger refused ${command.type}: ${refused.code}`);
};

/** Before work, while it goes on, and when it has ended. */
function reservationsBy(send: Send, { log }: Kit) {
  const must = mustBy(send);
  return {
    /** Sets the price of a task, or of a step, aside under the work's own id. */
    reserve: (context: CommandContext, work: WorkToPay) =>
      send(context, reservationFor(context, work)),

    /** Work goes on: what was set aside for it is kept. */
    extend: (context: CommandContext, organizationId: string, reservationId: string) =>
      send(
        context,
        ExtendReservation({ organizationId, reservationId, expiresAt: expiry(context) }),
      ),

    async charge(context: CommandContext, organizationId: string, reservationId: string) {
      const refused = await send(context, ChargeCredits({ organizationId, reservationId }));
      if (!refused) return;
      // The work is done but its credit was given back: it goes unpaid, so log it.
      const { code } = refused;
      log.error('work was not charged', { organizationId, reservationId, code });
    },

    release: (
      context: CommandContext,
      organizationId: string,
      reservationId: string,
      reason: ReleaseReason,
    ) => must(context, ReleaseReservation({ organizationId, reservationId, reason })),

    /** Gives back what was set aside, where it is not known whether anything was. */
    async releaseIfAny(
      context: CommandContext,
      organizationId: string,
      reservationId: string,
      reason: ReleaseReason,
    ) {
      const command = ReleaseReservation({ organizationId, reservationId, reason });
      const refused = await send(context, command);
      if (refused && refused.code !== ReservationNotFound.code) {
        throw new Error(`The ledger refused ${command.type}: ${refused.code}`);
      }
    },

    /** Ends a reservation whose time has passed; later work is paid from what there is then. */
    expire: (context: CommandContext, organizationId: string, reservationId: string) =>
      must(
        context,
        ExpireReservation({ organizationId, reservationId, at: context.now.toISOString() }),
      ),
  };
}

/** What comes in, what is taken back, and what it may be spent on. */
function moneyBy(send: Send) {
  const must = mustBy(send);
  return {
    grantSignUpCredits: (context: CommandContext, organizationId: string) =>
      must(
        context,
        GrantCredits({
          organizationId,
          grantId: derivedId(organizationId, 'sign-up'),
          amount: SIGN_UP_CREDITS,
          reason: 'sign-up',
        }),
      ),

    purchase: (
      context: CommandContext,
      bought: {
        readonly organizationId: string;
        readonly paymentId: string;
        readonly credits: number;
        readonly paidCents: number;
        readonly currency: string;
      },
    ) => {
      const { credits, ...rest } = bought;
      return must(context, PurchaseCredits({ ...rest, amount: credits }));
    },

    /** `reversed`: how many of the payment's credits are taken back now, in all. */
    reversePayment: (
      context: CommandContext,
      reversal: {
        readonly organizationId: string;
        readonly paymentId: string;
        readonly reversed: number;
        readonly cause: 'refund' | 'dispute';
      },
    ) => must(context, ReversePayment(reversal)),

    setLimit: (
      context: CommandContext,
      limit: {
        readonly organizationId: string;
        readonly scope: LimitScope;
        readonly monthlyCredits: number | null;
        readonly setBy: string;
      },
    ) => send(context, SetSpendLimit(limit)),

    /** Gives a charge back; the operator's decision. */
    refundCharge: (
      context: CommandContext,
      charge: Decided & { readonly organizationId: string; readonly reservationId: string },
    ) => send(context, RefundCharge(charge)),

    /** Corrects the balance by hand; the operator's decision. */
    adjust: (
      context: CommandContext,
      adjustment: Decided & {
        readonly organizationId: string;
        readonly adjustmentId: string;
        readonly amount: number;
      },
    ) => send(context, PostAdjustment(adjustment)),
  };
}
