import { setTimeout as sleep } from 'node:timers/promises';
import {
  CURRENCY,
  centsText,
  PACKAGES,
} from '@tallyhand/contracts/features/credits/credits.prices';
import type { TEST_OUTCOMES } from '@tallyhand/contracts/features/credits/payments.events';
import {
  NoSuchPackage,
  ProviderUnavailable,
} from '@tallyhand/contracts/features/credits/payments.refusals';
import { NotFound, ValidationFailed } from '@tallyhand/contracts/kernel/problem';
import { isRefusal, type Refusal } from '@tallyhand/contracts/kernel/refusal';
import { derivedId } from '@tallyhand/service-kit/crypto/ids';
import { errorFields } from '@tallyhand/service-kit/log';
import type { Kit } from '../../kit/app.ts';
import type { CommandContext } from '../../kit/context.ts';
import type { Credits } from './credits.ts';
import {
  creditsDue,
  isPaid,
  type Payment,
  type PaymentCommand,
  paymentStream,
  type RequestedPayment,
  statusOf,
} from './payment.decider.ts';
import { type PaymentFact, type PaymentGateway, ProviderFault } from './payment-gateway.ts';

/** A confirmation asks the provider in ever longer pauses. */
const PAUSES_MS = [0, 100, 200, 400, 800, 1_600];
/** How long a call waits for a hanging provider; the request itself continues. */
const PROVIDER_MS_MAX = 8_000;

export type Purchase = {
  readonly paymentId: string;
  readonly organizationId: string;
  readonly credits: number;
  /** US dollars. */
  readonly amount: number;
  readonly testOutcome?: (typeof TEST_OUTCOMES)[number] | undefined;
  readonly requestedBy: string;
};

/** Payment and ledger together. Every call can be repeated, by any process at any time. */
export type Payments = ReturnType<typeof paymentsOf>;

export type PaymentsContext = {
  readonly gateway: PaymentGateway;
  readonly credits: LedgerOfPayments;
};

export function paymentsOf(kit: Kit, { gateway, credits }: PaymentsContext) {
  const book = paymentBookOf(kit, credits);
  const provided = providedBy(kit, book, gateway);
  return {
    ...provided,
    ...purchasesOf(kit, book, gateway, provided),
    settle: book.settle,

    /** Gives a payment up that the provider never had a page for. */
    async giveUp(context: CommandContext, paymentId: string): Promise<void> {
      const { requested } = await book.load(paymentId);
      if (!requested) return;
      const data = { transactionId: null, code: 'expired' };
      await book.record(context, requested, { type: 'RecordFailure', data });
    },
    /** The organization that a payment belongs to; null where there is no such payment. */
    async ownerOf(paymentId: string): Promise<string | null> {
      return (await book.load(paymentId)).requested?.organizationId ?? null;
    },
    /** Whether the provider has a page for it, and whether it is paid. */
    async progressOf(paymentId: string) {
      const payment = await book.load(paymentId);
      return { isOpened: payment.checkout !== null, isPaid: isPaid(payment) };
    },
  };
}

type Provided = ReturnType<typeof providedBy>;

/** What is asked of the provider, and what comes from it. */
function providedBy(kit: Kit, book: PaymentBook, gateway: PaymentGateway) {
  /** Asks the provider for its page, once; refused when the provider does not answer. */
  async function openCheckout(context: CommandContext, requested: RequestedPayment) {
    const known = await book.load(requested.paymentId);
    if (known.checkout) return known;
    try {
      const data = await gateway.open(orderOf(requested, kit.settings.publicUrl));
      return await book.record(context, requested, { type: 'OpenCheckout', data });
    } catch (error) {
      if (!(error instanceof ProviderFault)) throw error;
      kit.log.warn('the payment provider did not answer', errorFields(error));
      return ProviderUnavailable({});
    }
  }

  /** Records what the provider tells, then settles it. Only its own payments are known to it. */
  async function apply(context: CommandContext, fact: PaymentFact): Promise<Refusal | null> {
    const { requested } = await book.load(fact.paymentId);
    if (requested?.provider !== gateway.provider) return NotFound({ what: 'payment' });
    const recorded = await book.record(context, requested, commandOf(fact));
    if (isRefusal(recorded)) return recorded;
    await book.settle(context, fact.paymentId);
    return null;
  }

  /**
   * Asks the provider what has become of a payment. True when it says that the payment has ended;
   * an attempt that failed is no end while its page is open.
   */
  async function lookUp(context: CommandContext, paymentId: string): Promise<boolean> {
    const { requested } = await book.load(paymentId);
    if (requested?.provider !== gateway.provider) return false;
    const payment = await openCheckout(context, requested);
    if (isRefusal(payment) || !payment.checkout) return false;
    const { sessionId } = payment.checkout;
    let hasEnded = false;
    for (const fact of await gateway.lookUp({ paymentId, sessionId })) {
      const refused = await apply(context, fact);
      if (refused) {
        const { code, params } = refused;
        kit.log.error("the provider's report was refused", { paymentId, code, ...params });
      } else if (fact.kind === 'succeeded' || fact.kind === 'failed') hasEnded = true;
    }
    return hasEnded;
  }

  return { openCheckout, apply, lookUp };
}

/** What a member does: asks for a package, and whether it was paid. */
function purchasesOf(
  kit: Kit,
  book: PaymentBook,
  gateway: PaymentGateway,
  { openCheckout, lookUp }: Provided,
) {
  /** Looks a payment up; false when the provider did not answer. */
  const asking = async (context: CommandContext, paymentId: string): Promise<boolean> => {
    try {
      await lookUp(context, paymentId);
      return true;
    } catch (error) {
      if (!(error instanceof ProviderFault)) throw error;
      kit.log.warn('the payment provider did not answer', errorFields(error));
      return false;
    }
  };
  return {
    /** Records the wish, then opens the provider's page for it. */
    async request(context: CommandContext, purchase: Purchase): Promise<Payment | Refusal> {
      const offer = offerFor(purchase);
      if (isRefusal(offer)) return offer;
      const { paymentId, organizationId, testOutcome, requestedBy } = purchase;
      if (testOutcome && gateway.provider !== 'test') return onlyInTestMode();
      const requested = {
        paymentId,
        organizationId,
        requestedBy,
        packageId: offer.id,
        credits: offer.credits,
        cents: offer.cents,
        currency: CURRENCY,
        provider: gateway.provider,
        ...(testOutcome ? { testOutcome } : {}),
      };
      const known = await book.record(context, requested, {
        type: 'RequestPayment',
        data: requested,
      });
      if (isRefusal(known)) return known;
      const opened = await inTime(
        openCheckout(context, known.requested ?? requested),
        PROVIDER_MS_MAX,
      );
      return opened ?? ProviderUnavailable({});
    },

    /** A payment of the organization, or null. */
    async find(paymentId: string, organizationId: string): Promise<RequestedPayment | null> {
      const { requested } = await book.load(paymentId);
      return requested?.organizationId === organizationId ? requested : null;
    },

    /** The payment when it has ended, or as it is when the provider takes too long. */
    async awaitEnd(context: CommandContext, paymentId: string): Promise<Payment> {
      const deadline = performance.now() + PROVIDER_MS_MAX;
      for (const pause of PAUSES_MS) {
        await sleep(pause);
        const answered = asking(context, paymentId);
        if (!(await inTime(answered, deadline - performance.now()))) break;
        if (statusOf(await book.load(paymentId)) !== 'pending') break;
      }
      // Another process may have recorded the success, and died before the ledger had it.
      await book.settle(context, paymentId);
      return book.load(paymentId);
    },
  };
}

/** What the work gives, or null when it takes longer. */
async function inTime<T>(work: Promise<T>, msMax: number): Promise<T | null> {
  const { promise, resolve } = Promise.withResolvers<null>();
  const timer = setTimeout(() => resolve(null), msMax);
  try {
    return await Promise.race([work, promise]);
  } finally {
    clearTimeout(timer);
  }
}

type Offer = (typeof PACKAGES)[number];

function offerFor({ credits, amount }: Pick<Purchase, 'credits' | 'amount'>): Offer | Refusal {
  const offer = PACKAGES.find((each) => each.credits === credits);
  if (!offer) {
    const message = `credits must be one of ${PACKAGES.map((each) => each.credits).join(', ')}`;
    return NoSuchPackage({}, [{ path: 'credits', message }]);
  }
  const price = centsText(offer.cents);
  if (Number(price) === amount) return offer;
  return NoSuchPackage({}, [
    { path: 'amount', message: `The price of ${credits} credits is ${price} US dollars` },
  ]);
}

function onlyInTestMode(): Refusal {
  const message = 'testOutcome is taken in test mode only';
  return ValidationFailed({ summary: `${message}.` }, [{ path: 'testOutcome', message }]);
}

function orderOf(requested: RequestedPayment, publicUrl: string) {
  const { paymentId, organizationId, credits, cents, currency, testOutcome } = requested;
  const back = `${publicUrl}/billing?payment=${paymentId}`;
  return {
    paymentId,
    organizationId,
    credits,
    cents,
    currency,
    packageName: PACKAGES.find(({ id }) => id === requested.packageId)?.name ?? requested.packageId,
    ...(testOutcome ? { testOutcome } : {}),
    successUrl: `${back}&outcome=success`,
    cancelUrl: `${back}&outcome=cancelled`,
  };
}

function commandOf(fact: PaymentFact): PaymentCommand {
  switch (fact.kind) {
    case 'succeeded': {
      const { transactionId, cents } = fact;
      return { type: 'RecordSuccess', data: { transactionId, cents } };
    }
    case 'failed': {
      const { transactionId, code } = fact;
      return { type: 'RecordFailure', data: { transactionId, code } };
    }
    case 'refunded':
      return { type: 'RecordRefund', data: { refundedCents: fact.refundedCents } };
    case 'disputed': {
      const { disputeId, cents } = fact;
      return { type: 'RecordDispute', data: { disputeId, cents } };
    }
    case 'dispute-closed': {
      const { disputeId, outcome } = fact;
      return { type: 'CloseDispute', data: { disputeId, outcome } };
    }
  }
}

/** Each turn means that another process has recorded a report of the same payment in between. */
const SETTLE_TURNS_MAX = 20;

export type LedgerOfPayments = Pick<Credits, 'purchase' | 'reversePayment'>;

/** What is known of payments, and the ledger that follows from it. */
export type PaymentBook = {
  load(paymentId: string): Promise<Payment>;
  record(
    context: CommandContext,
    own: Pick<RequestedPayment, 'paymentId' | 'organizationId'>,
    command: PaymentCommand,
  ): Promise<Payment | Refusal>;
  /** Brings the ledger in line with what is known of a payment. */
  settle(context: CommandContext, paymentId: string): Promise<void>;
};

export function paymentBookOf(kit: Kit, credits: LedgerOfPayments): PaymentBook {
  const payments = kit.streams.of(paymentStream);
  return {
    load: (paymentId: string) => payments.load(paymentId),
    async record(context, { paymentId, organizationId }, command) {
      const answer = await payments.send(paymentId, command, { ...context, organizationId });
      return isRefusal(answer) ? answer : answer.state;
    },
    async settle(context, paymentId) {
      let done = '';
      for (let turn = 0; turn < SETTLE_TURNS_MAX; turn += 1) {
        const payment = await payments.load(paymentId);
        const { requested } = payment;
        const { bought, reversed, cause } = creditsDue(payment);
        if (!requested || bought === 0) return;
        // Who was last to write to the ledger looks at the payment again after it: what was told
        // in between is written by one who knows of it.
        const due = `${bought} ${reversed}`;
        if (due === done) return;
        const { organizationId, cents, currency } = requested;
        const commandId = derivedId(context.commandId, 'settle', String(turn));
        const own = { ...context, organizationId, commandId };
        const paid = { credits: bought, paidCents: cents, currency };
        await credits.purchase(own, { organizationId, paymentId, ...paid });
        await credits.reversePayment(own, { organizationId, paymentId, reversed, cause });
        done = due;
      }
      throw new Error(`Payment ${paymentId} does not come to rest`);
    },
  };
}
