import type {
  Payment,
  TEST_ACTIONS,
} from '@tallyhand/contracts/features/credits/payments.endpoints';
import { asProblem, type CallProblem } from '../../app/problem.ts';

const OWN_CHECKOUT = '/billing/test-checkout/';

/** Where a payment continues: at a path of this site, or at the provider's page. */
type CheckoutTarget = { kind: 'own'; path: string } | { kind: 'provider'; url: string };

/** Only our own path counts: behind a proxy the address may be written with another host. */
export function checkoutTarget(checkoutUrl: string, origin: string): CheckoutTarget | undefined {
  if (!URL.canParse(checkoutUrl, origin)) return undefined;
  const { href, pathname, protocol } = new URL(checkoutUrl, origin);
  if (pathname.startsWith(OWN_CHECKOUT)) return { kind: 'own', path: pathname };
  return protocol === 'https:' || protocol === 'http:'
    ? { kind: 'provider', url: href }
    : undefined;
}

type Asked<A> = { data?: A | undefined; error?: unknown };
type Ended<A> = { kind: 'ended'; answer: A } | { kind: 'refused'; problem: CallProblem };
/** `pending`: no answer in time; the payment continues without this page. */
type Outcome<A> = Ended<A> | { kind: 'pending' };

type Patience = {
  /** Milliseconds between two questions. */
  everyMs: number;
  attemptsMax: number;
  wait: (ms: number) => Promise<void>;
};

/** Try again: the provider is not done yet, or the answer was lost. */
const isOpen = ({ status, code }: CallProblem) =>
  code === 'payment-pending' || status === 0 || status >= 500;

/** Polls a payment until its outcome is known or the attempts are used up. */
export async function confirmUntilEnded<A>(
  ask: () => Promise<Asked<A>>,
  { everyMs, attemptsMax, wait }: Patience,
): Promise<Outcome<A>> {
  let last: CallProblem | undefined;
  for (let attempt = 0; attempt < attemptsMax; attempt++) {
    if (attempt > 0) await wait(everyMs);
    const { data, error } = await ask();
    if (data !== undefined) return { kind: 'ended', answer: data };
    last = asProblem(error);
    if (!isOpen(last)) return { kind: 'refused', problem: last };
  }
  if (last === undefined || last.code === 'payment-pending') return { kind: 'pending' };
  return { kind: 'refused', problem: last };
}

export type TestAction = (typeof TEST_ACTIONS)[number];
type Known = Pick<
  Payment,
  'provider' | 'hasReceipt' | 'status' | 'disputeOutcome' | 'amount' | 'refundedAmount'
>;

/** What the test provider can do with a payment as it stands; nothing with those of others. */
export function testActionsOf(payment: Known): TestAction[] {
  const { provider, hasReceipt, status, disputeOutcome, amount, refundedAmount } = payment;
  if (provider !== 'test' || !hasReceipt) return [];
  if (disputeOutcome === 'open') return ['win-dispute', 'lose-dispute'];
  if (disputeOutcome === 'lost' || Number(refundedAmount) >= Number(amount)) return [];
  if (status !== 'succeeded' && status !== 'refunded') return [];
  // A payment is disputed once at most.
  return disputeOutcome === 'won' ? ['refund'] : ['refund', 'dispute'];
}
