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
  ReserveCreditsTogether,
  ReversePayment,
  SetSpendLimit,
} from '@tallyhand/contracts/features/credits/credits.commands';
import type { LedgerEvent, LimitScope } from '@tallyhand/contracts/features/credits/credits.events';
import { SIGN_UP_CREDITS } from '@tallyhand/contracts/features/credits/credits.prices';
import { ReservationNotFound } from '@tallyhand/contracts/features/credits/credits.refusals';
import { WORK_KIND_OF, type WorkType } from '@tallyhand/contracts/features/credits/paid-work';
import { isRefusal } from '@tallyhand/contracts/kernel/refusal';
import { derivedId } from '@tallyhand/service-kit/crypto/ids';
import type { Position } from '@tallyhand/service-kit/event-store/position';
import type { Log } from '@tallyhand/service-kit/log';
import type { Kit } from '../../kit/app.ts';
import type { CommandContext } from '../../kit/context.ts';
import type { Streams } from '../../kit/streams.ts';
import { type LedgerRefusal, ledgerDecider, ledgerStream } from './ledger.decider.ts';
import { availableIn, type Ledger } from './ledger-state.ts';

/** Longer than any deadline of a task. Longer work extends its reservation. */
const RESERVATION_MINUTES = 10;

const signUpGrantId = (organizationId: string) => derivedId(organizationId, 'sign-up');

type ReleaseReason = Parameters<typeof ReleaseReservation>[0]['reason'];

type WorkToPay = {
  readonly organizationId: string;
  /** The id of the task, or of the session's step. */
  readonly workId: string;
  readonly workType: WorkType;
  readonly agentId: string;
  /** Null if no member asked for it. */
  readonly memberId: string | null;
  readonly price: number;
};

/** An operator's decision. */
type Decided = { readonly reason: string; readonly approver: string };

type Purchase = {
  readonly organizationId: string;
  readonly paymentId: string;
  readonly credits: number;
  readonly paidCents: number;
  readonly currency: string;
};
type Reversal = {
  readonly organizationId: string;
  readonly paymentId: string;
  /** The payment's total of reversed credits. */
  readonly reversed: number;
  readonly cause: 'refund' | 'dispute';
};
type Limit = {
  readonly organizationId: string;
  readonly scope: LimitScope;
  readonly monthlyCredits: number | null;
  readonly setBy: string;
};

/** The ledgers of organizations, as other features use them. Every call may be repeated. */
export class Credits {
  readonly #ledgers: Streams<Ledger, LedgerCommand, LedgerEvent, LedgerRefusal>;
  readonly #log: Log;

  constructor({ streams, log }: Pick<Kit, 'streams' | 'log'>) {
    this.#ledgers = streams.of(ledgerStream);
    this.#log = log;
  }

  async available(organizationId: string, since?: Position): Promise<number> {
    return availableIn(await this.#ledgers.load(organizationId, since));
  }

  /** Why a price could not be reserved now. Nothing is reserved. */
  async wouldRefuse(context: CommandContext, work: WorkToPay): Promise<LedgerRefusal | null> {
    const ledger = await this.#ledgers.load(work.organizationId);
    const decided = ledgerDecider.decide(reservationFor(context, work), ledger);
    return isRefusal(decided) ? decided : null;
  }

  /** Reserves the price of a task, or of a step, under the work's own id. */
  reserve(context: CommandContext, work: WorkToPay): Promise<LedgerRefusal | null> {
    return this.#send(context, reservationFor(context, work));
  }

  /** Reserves the prices of several pieces of work, each under its own id, or none of them. */
  reserveTogether(
    context: CommandContext,
    asked: Omit<WorkToPay, 'workId' | 'price'>,
    works: readonly Pick<WorkToPay, 'workId' | 'price'>[],
  ): Promise<LedgerRefusal | null> {
    const kind = WORK_KIND_OF[asked.workType];
    const parts = works.map(({ workId: id, price }) => ({
      reservationId: id,
      amount: price,
      work: { kind, id },
      price,
    }));
    const at = context.now.toISOString();
    const command = ReserveCreditsTogether({ ...asked, at, expiresAt: expiry(context), parts });
    return this.#send(context, command);
  }

  /** Extends the reservation of continuing work, or of work that waits until then. */
  extend(
    context: CommandContext,
    organizationId: string,
    reservationId: string,
    waitsUntil = context.now,
  ): Promise<LedgerRefusal | null> {
    const expiresAt = expiry({ now: waitsUntil });
    return this.#send(context, ExtendReservation({ organizationId, reservationId, expiresAt }));
  }

  async charge(
    context: CommandContext,
    organizationId: string,
    reservationId: string,
  ): Promise<void> {
    const refused = await this.#send(context, ChargeCredits({ organizationId, reservationId }));
    if (!refused) return;
    // The work is done, but its reservation was released: it stays unpaid.
    const { code } = refused;
    this.#log.error('work was not charged', { organizationId, reservationId, code });
  }

  release(
    context: CommandContext,
    organizationId: string,
    reservationId: string,
    reason: ReleaseReason,
  ): Promise<void> {
    return this.#must(context, ReleaseReservation({ organizationId, reservationId, reason }));
  }

  /** Releases a reservation that may not exist. */
  async releaseIfAny(
    context: CommandContext,
    organizationId: string,
    reservationId: string,
    reason: ReleaseReason,
  ): Promise<void> {
    const command = ReleaseReservation({ organizationId, reservationId, reason });
    const refused = await this.#send(context, command);
    if (refused && refused.code !== ReservationNotFound.code) throw unexpected(command, refused);
  }

  /** Ends an expired reservation. A later charge is paid from the balance at that time. */
  expire(context: CommandContext, organizationId: string, reservationId: string): Promise<void> {
    const at = context.now.toISOString();
    return this.#must(context, ExpireReservation({ organizationId, reservationId, at }));
  }

  async hasSignUpCredits(organizationId: string): Promise<boolean> {
    return (await this.#ledgers.known(organizationId)).grants.has(signUpGrantId(organizationId));
  }

  grantSignUpCredits(context: CommandContext, organizationId: string): Promise<void> {
    const grantId = signUpGrantId(organizationId);
    const grant = { organizationId, grantId, amount: SIGN_UP_CREDITS };
    return this.#must(context, GrantCredits({ ...grant, reason: 'sign-up' }));
  }

  purchase(context: CommandContext, { credits, ...bought }: Purchase): Promise<void> {
    return this.#must(context, PurchaseCredits({ ...bought, amount: credits }));
  }

  reversePayment(context: CommandContext, reversal: Reversal): Promise<void> {
    return this.#must(context, ReversePayment(reversal));
  }

  setLimit(context: CommandContext, limit: Limit): Promise<LedgerRefusal | null> {
    return this.#send(context, SetSpendLimit(limit));
  }

  /** Refunds a charge, as an operator decided. */
  refundCharge(
    context: CommandContext,
    charge: Decided & { readonly organizationId: string; readonly reservationId: string },
  ): Promise<LedgerRefusal | null> {
    return this.#send(context, RefundCharge(charge));
  }

  /** Corrects the balance, as an operator decided. */
  adjust(
    context: CommandContext,
    adjustment: Decided & {
      readonly organizationId: string;
      readonly adjustmentId: string;
      readonly amount: number;
    },
  ): Promise<LedgerRefusal | null> {
    return this.#send(context, PostAdjustment(adjustment));
  }

  async #send(context: CommandContext, command: LedgerCommand): Promise<LedgerRefusal | null> {
    const answer = await this.#ledgers.send(command.data.organizationId, command, context);
    return isRefusal(answer) ? answer : null;
  }

  /** For commands that only a bug can get refused. */
  async #must(context: CommandContext, command: LedgerCommand): Promise<void> {
    const refused = await this.#send(context, command);
    if (refused) throw unexpected(command, refused);
  }
}

const unexpected = ({ type }: LedgerCommand, { code }: LedgerRefusal) =>
  new Error(`The ledger refused ${type}: ${code}`);

const expiry = ({ now }: Pick<CommandContext, 'now'>) =>
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
