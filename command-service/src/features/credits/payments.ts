import { setTimeout as sleep } from 'node:timers/promises';
import {
  CURRENCY,
  centsText,
  PACKAGES,
  type PackageId,
} from '@tallyhand/contracts/features/credits/credits.prices';
import type {
  PaymentEvent,
  TEST_OUTCOMES,
} from '@tallyhand/contracts/features/credits/payments.events';
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
import type { Streams } from '../../kit/streams.ts';
import type { Credits } from './credits.ts';
import {
  creditsDue,
  isPaid,
  type Payment,
  type PaymentCommand,
  type PaymentRefusal,
  paymentStream,
  type RequestedPayment,
  statusOf,
} from './payment.decider.ts';
import { type PaymentFact, type PaymentGateway, ProviderFault } from './payment-gateway.ts';

/** The growing pauses between a confirmation's requests to the provider. */
const PAUSES_MS = [0, 100, 200, 400, 800, 1_600];
/** How long a call waits for a slow provider; the request itself continues. */
const PROVIDER_MS_MAX = 8_000;
/** There is another turn for each report of the payment that arrives in between. */
const SETTLE_TURNS_MAX = 20;

export type Purchase = {
  readonly paymentId: string;
  readonly organizationId: string;
  readonly packageId?: PackageId | undefined;
  readonly credits?: number | undefined;
  /** US dollars. */
  readonly amount?: number | undefined;
  readonly testOutcome?: (typeof TEST_OUTCOMES)[number] | undefined;
  readonly requestedBy: string;
};

export type PaymentsContext = {
  readonly gateway: PaymentGateway;
  readonly credits: Pick<Credits, 'purchase' | 'reversePayment'>;
};

/** Payments and the credits that follow from them. Every call may be repeated at any time. */
export class Payments {
  readonly #kit: Kit;
  readonly #gateway: PaymentGateway;
  readonly #credits: Pick<Credits, 'purchase' | 'reversePayment'>;
  readonly #payments: Streams<Payment, PaymentCommand, PaymentEvent, PaymentRefusal>;

  constructor(kit: Kit, { gateway, credits }: PaymentsContext) {
    this.#kit = kit;
    this.#gateway = gateway;
    this.#credits = credits;
    this.#payments = kit.streams.of(paymentStream);
  }

  /** Records the request, then opens the provider's page for it. */
  async request(context: CommandContext, purchase: Purchase): Promise<Payment | Refusal> {
    const offer = offerFor(purchase);
    if (isRefusal(offer)) return offer;
    const { paymentId, organizationId, testOutcome, requestedBy } = purchase;
    const { provider } = this.#gateway;
    if (testOutcome && provider !== 'test') return onlyInTestMode();
    const requested = {
      paymentId,
      organizationId,
      requestedBy,
      packageId: offer.id,
      credits: offer.credits,
      cents: offer.cents,
      currency: CURRENCY,
      provider,
      ...(testOutcome ? { testOutcome } : {}),
    };
    const command = { type: 'RequestPayment', data: requested } as const;
    const known = await this.#record(context, requested, command);
    if (isRefusal(known)) return known;
    const opening = this.#openCheckout(context, known.requested ?? requested);
    return (await inTime(opening, PROVIDER_MS_MAX)) ?? ProviderUnavailable({});
  }

  /** A payment of the organization, or null. */
  async find(paymentId: string, organizationId: string): Promise<RequestedPayment | null> {
    const { requested } = await this.#payments.load(paymentId);
    return requested?.organizationId === organizationId ? requested : null;
  }

  /** The organization that a payment belongs to; null if the payment does not exist. */
  async ownerOf(paymentId: string): Promise<string | null> {
    return (await this.#payments.load(paymentId)).requested?.organizationId ?? null;
  }

  /** Whether the provider has a page for it, and whether it is paid. */
  async progressOf(paymentId: string): Promise<{ isOpened: boolean; isPaid: boolean }> {
    const payment = await this.#payments.load(paymentId);
    return { isOpened: payment.checkout !== null, isPaid: isPaid(payment) };
  }

  /** The payment when it has ended, or its current state when the provider takes too long. */
  async awaitEnd(context: CommandContext, paymentId: string): Promise<Payment> {
    const deadline = performance.now() + PROVIDER_MS_MAX;
    for (const pause of PAUSES_MS) {
      await sleep(pause);
      const answered = this.#isAnswered(context, paymentId);
      if (!(await inTime(answered, Math.max(0, deadline - performance.now())))) break;
      if (statusOf(await this.#payments.load(paymentId)) !== 'pending') break;
    }
    // Another process may have recorded the success, and died before the ledger had it.
    await this.settle(context, paymentId);
    return this.#payments.load(paymentId);
  }

  /** Records a report of the provider, and settles the payment. */
  async apply(context: CommandContext, fact: PaymentFact): Promise<Refusal | null> {
    const { requested } = await this.#payments.load(fact.paymentId);
    if (requested?.provider !== this.#gateway.provider) return NotFound({ what: 'payment' });
    const recorded = await this.#record(context, requested, commandOf(fact));
    if (isRefusal(recorded)) return recorded;
    await this.settle(context, fact.paymentId);
    return null;
  }

  /**
   * Fetches a payment's state from the provider. Returns whether it has ended; after a failed attempt
   * the customer may try again while the page is open.
   */
  async lookUp(context: CommandContext, paymentId: string): Promise<boolean> {
    const { requested } = await this.#payments.load(paymentId);
    if (requested?.provider !== this.#gateway.provider) return false;
    const payment = await this.#openCheckout(context, requested);
    if (isRefusal(payment) || !payment.checkout) return false;
    const { sessionId } = payment.checkout;
    let hasEnded = false;
    for (const fact of await this.#gateway.lookUp({ paymentId, sessionId })) {
      const refused = await this.apply(context, fact);
      if (refused) {
        const { code, params } = refused;
        this.#kit.log.error("the provider's report was refused", { paymentId, code, ...params });
      } else if (fact.kind === 'succeeded' || fact.kind === 'failed') hasEnded = true;
    }
    return hasEnded;
  }

  /** Fails a payment whose page was never opened. */
  async giveUp(context: CommandContext, paymentId: string): Promise<void> {
    const { requested } = await this.#payments.load(paymentId);
    if (!requested) return;
    const data = { transactionId: null, code: 'expired' };
    await this.#record(context, requested, { type: 'RecordFailure', data });
  }

  /** Makes the ledger agree with a payment. */
  async settle(context: CommandContext, paymentId: string): Promise<void> {
    let done = '';
    for (let turn = 0; turn < SETTLE_TURNS_MAX; turn += 1) {
      const payment = await this.#payments.load(paymentId);
      const { requested } = payment;
      const { bought, reversed, cause } = creditsDue(payment);
      if (!requested || bought === 0) return;
      // The payment is read again after each write, so a report that arrived in between is settled
      // by a writer that has seen it.
      const due = `${bought} ${reversed}`;
      if (due === done) return;
      const { organizationId, cents, currency } = requested;
      const commandId = derivedId(context.commandId, 'settle', String(turn));
      const own = { ...context, organizationId, commandId };
      const paid = { credits: bought, paidCents: cents, currency };
      await this.#credits.purchase(own, { organizationId, paymentId, ...paid });
      await this.#credits.reversePayment(own, { organizationId, paymentId, reversed, cause });
      done = due;
    }
    throw new Error(`Payment ${paymentId} does not come to rest`);
  }

  /** Opens the provider's page once; refused when the provider does not answer. */
  async #openCheckout(context: CommandContext, requested: RequestedPayment) {
    const known = await this.#payments.load(requested.paymentId);
    if (known.checkout) return known;
    try {
      const data = await this.#gateway.open(orderOf(requested, this.#kit.settings.publicUrl));
      return await this.#record(context, requested, { type: 'OpenCheckout', data });
    } catch (error) {
      if (!(error instanceof ProviderFault)) throw error;
      this.#kit.log.warn('the payment provider did not answer', errorFields(error));
      return ProviderUnavailable({});
    }
  }

  /** Looks a payment up; false when the provider did not answer. */
  async #isAnswered(context: CommandContext, paymentId: string): Promise<boolean> {
    try {
      await this.lookUp(context, paymentId);
      return true;
    } catch (error) {
      if (!(error instanceof ProviderFault)) throw error;
      this.#kit.log.warn('the payment provider did not answer', errorFields(error));
      return false;
    }
  }

  async #record(
    context: CommandContext,
    { paymentId, organizationId }: Pick<RequestedPayment, 'paymentId' | 'organizationId'>,
    command: PaymentCommand,
  ) {
    const answer = await this.#payments.send(paymentId, command, { ...context, organizationId });
    return isRefusal(answer) ? answer : answer.state;
  }
}

/** The result of the work, or null if it takes longer. */
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

function offerFor({
  packageId,
  credits,
  amount,
}: Pick<Purchase, 'packageId' | 'credits' | 'amount'>): Offer | Refusal {
  const offer = packageId
    ? PACKAGES.find(({ id }) => id === packageId)
    : PACKAGES.find((each) => each.credits === credits);
  if (!offer || (credits ?? offer.credits) !== offer.credits) {
    const possible = packageId ? offer?.credits : PACKAGES.map((each) => each.credits).join(', ');
    return NoSuchPackage({}, [{ path: 'credits', message: `credits must be one of ${possible}` }]);
  }
  const price = centsText(offer.cents);
  if (Number(price) === (amount ?? Number(price))) return offer;
  return NoSuchPackage({}, [
    { path: 'amount', message: `The price of ${offer.credits} credits is ${price} US dollars` },
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
