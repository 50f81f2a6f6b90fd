import type { Refusal } from '@tallyhand/contracts/kernel/refusal';
import { isRefusal } from '@tallyhand/contracts/kernel/refusal';
import { derivedId } from '@tallyhand/service-kit/crypto/ids';
import type { Kit } from '../../kit/app.ts';
import type { CommandContext } from '../../kit/context.ts';
import type { Credits } from './credits.ts';
import {
  creditsDue,
  type Payment,
  type PaymentCommand,
  paymentStream,
  type RequestedPayment,
} from './payment.decider.ts';

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
