import { z } from 'zod';
import { ADMINS, MEMBERS, PUBLIC } from '../../kernel/access.ts';
import { endpoint } from '../../kernel/endpoint.ts';
import { Id, Instant } from '../../kernel/ids.ts';
import { Page } from '../../kernel/lists.ts';
import { NotFound } from '../../kernel/problem.ts';
import { CREDITS_MAX } from './credits.commands.ts';
import { CsvOfPeriod } from './credits.endpoints.ts';
import { PACKAGES } from './credits.prices.ts';
import { PAYMENT_PROVIDERS, TEST_OUTCOMES } from './payments.events.ts';
import {
  CreditsNotBought,
  NoReceipt,
  NoSuchPackage,
  NotATestPayment,
  PaymentDeclined,
  PaymentPending,
  ProviderUnavailable,
  WebhookNotSigned,
} from './payments.refusals.ts';

export const PAYMENT_STATUSES = ['pending', 'succeeded', 'failed', 'refunded', 'disputed'] as const;

export const Package = z.object({
  id: z.string(),
  name: z.string(),
  credits: z.int(),
  /** US dollars. */
  amount: z.number(),
  /** US dollars with 3 decimals. */
  pricePerCredit: z.string(),
  popular: z.boolean(),
});
export type Package = z.infer<typeof Package>;

/** `refunded`: partly or fully refunded; `disputed`: a dispute is open or was lost. */
export const Payment = z.object({
  id: Id,
  /** Decimal text, such as 49.00. */
  amount: z.string(),
  currency: z.string(),
  creditsPurchased: z.int(),
  /** Credits withdrawn by refunds and disputes. */
  creditsReversed: z.int(),
  packageName: z.string(),
  provider: z.enum(PAYMENT_PROVIDERS),
  /** The provider's id; null until it is known. */
  providerTxnId: z.string().nullable(),
  status: z.enum(PAYMENT_STATUSES),
  /** The provider's failure code. */
  failureCode: z.string().nullable(),
  refundedAmount: z.string(),
  disputeOutcome: z.enum(['open', 'won', 'lost']).nullable(),
  /** Where the customer continues a pending payment. */
  checkoutUrl: z.string().nullable(),
  hasReceipt: z.boolean(),
  createdAt: Instant,
});
export type Payment = z.infer<typeof Payment>;

const WHOLE_CREDITS = `credits must be a whole number from 1 to ${CREDITS_MAX}`;
const NumberOfCredits = z.int(WHOLE_CREDITS).min(1, WHOLE_CREDITS).max(CREDITS_MAX, WHOLE_CREDITS);
const DOLLARS = 'amount must be the price of the package in US dollars';

const PACKAGE_IDS = PACKAGES.map(({ id }) => id);

/** A package by its id, or by its credits and their price. What is sent must agree. */
export const PurchaseInput = z
  .strictObject({
    packageId: z
      .enum(PACKAGE_IDS, { error: `packageId must be one of ${PACKAGE_IDS.join(', ')}` })
      .optional(),
    credits: NumberOfCredits.optional(),
    amount: z.number(DOLLARS).positive(DOLLARS).max(1_000_000, DOLLARS).optional(),
    /** Only for the test provider. */
    testOutcome: z
      .enum(TEST_OUTCOMES, { error: `testOutcome must be one of ${TEST_OUTCOMES.join(', ')}` })
      .optional(),
  })
  .superRefine(({ packageId, credits, amount }, context) => {
    if (packageId) return;
    const refuse = (field: string, message: string) =>
      context.addIssue({ code: 'custom', path: [field], message });
    if (credits === undefined) refuse('credits', WHOLE_CREDITS);
    if (amount === undefined) refuse('amount', DOLLARS);
  });

export const ConfirmInput = z.strictObject({
  paymentIntentId: Id,
  /** Checked if sent. */
  credits: NumberOfCredits.optional(),
});

export const TEST_ACTIONS = [
  'authenticate',
  'fail-authentication',
  'refund',
  'dispute',
  'win-dispute',
  'lose-dispute',
] as const;

const feature = 'credits';

export const listPackages = endpoint({
  name: 'listPackages',
  method: 'GET',
  path: '/api/billing/packages',
  access: MEMBERS,
  feature,
  summary: 'List credit packages',
  description: 'Returns the packages of credits that can be bought.',
  status: 200,
  answer: z.array(Package),
  answerExample: [
    {
      id: 'scale',
      name: 'Scale Pack',
      credits: 5000,
      popular: false,
      amount: 1499,
      pricePerCredit: '0.300',
    },
  ],
});
export const getBillingSettings = endpoint({
  name: 'getBillingSettings',
  method: 'GET',
  path: '/api/billing/settings',
  access: ADMINS,
  feature,
  summary: 'Retrieve billing settings',
  description: 'Returns the payment provider in use. The test provider charges no card.',
  status: 200,
  answer: z.object({ provider: z.enum(PAYMENT_PROVIDERS) }),
  answerExample: { provider: 'test' },
});
export const purchaseCredits = endpoint({
  name: 'purchaseCredits',
  method: 'POST',
  path: '/api/billing/purchase-credits',
  access: ADMINS,
  feature,
  summary: 'Purchase credits',
  description:
    'Starts the purchase of a package, by its id or by its credits and their price. Confirm it once the customer has paid.',
  body: PurchaseInput,
  example: { packageId: 'starter' },
  status: 201,
  answer: z.object({
    /** Tallyhand's payment id; use it to confirm the payment. */
    paymentIntentId: Id,
    status: z.enum(PAYMENT_STATUSES),
    /** Where the customer pays or authenticates; absent if there is nothing to do. */
    checkoutUrl: z.string().optional(),
  }),
  answerExample: {
    paymentIntentId: '0193a1b2-0000-7000-8000-000000000001',
    status: 'pending',
    checkoutUrl: '/billing/test-checkout/0193a1b2-0000-7000-8000-000000000001',
  },
  refusals: [NoSuchPackage, ProviderUnavailable],
});
export const confirmPurchase = endpoint({
  name: 'confirmPurchase',
  method: 'POST',
  path: '/api/billing/confirm-purchase',
  access: ADMINS,
  feature,
  summary: 'Confirm a purchase',
  description:
    'Asks the payment provider whether the payment succeeded. Its credits are added once, however often this is called.',
  body: ConfirmInput,
  example: { paymentIntentId: '0193a1b2-0000-7000-8000-000000000001' },
  status: 200,
  answer: z.object({ status: z.enum(PAYMENT_STATUSES), creditBalance: z.int() }),
  answerExample: { status: 'succeeded', creditBalance: 600 },
  refusals: [NotFound, PaymentPending, PaymentDeclined, CreditsNotBought],
});
export const listPayments = endpoint({
  name: 'listPayments',
  method: 'GET',
  path: '/api/billing/history',
  access: ADMINS,
  feature,
  summary: 'List payments',
  description: 'Returns the payments of the organization, newest first.',
  query: Page,
  status: 200,
  answer: z.array(Payment),
  answerExample: [
    {
      id: '0193a1b2-0000-7000-8000-000000000001',
      amount: '49.00',
      currency: 'usd',
      creditsPurchased: 100,
      creditsReversed: 0,
      packageName: 'Starter Pack',
      provider: 'test',
      providerTxnId: 'pi_test_13d73fc5d0b489bca77e2a83d5f6bafa',
      status: 'succeeded',
      failureCode: null,
      refundedAmount: '0.00',
      disputeOutcome: null,
      checkoutUrl: null,
      hasReceipt: true,
      createdAt: '2027-01-31T09:30:00.000Z',
    },
  ],
});
export const exportPayments = endpoint({
  name: 'exportPayments',
  method: 'GET',
  path: '/api/billing/history/export',
  access: ADMINS,
  feature,
  summary: 'Export payments',
  description:
    'Returns the payments of the organization as CSV, oldest first: all of them, or those that were started in a period.',
  query: CsvOfPeriod,
  status: 200,
  media: 'text/csv',
});
export const getReceipt = endpoint({
  name: 'getReceipt',
  method: 'GET',
  path: '/api/billing/payments/{id}/receipt',
  access: ADMINS,
  feature,
  summary: 'Download a receipt',
  description: 'Returns the receipt of a payment as a PDF file.',
  params: z.strictObject({ id: Id }),
  status: 200,
  media: 'application/pdf',
  refusals: [NoReceipt],
});
export const actOnTestPayment = endpoint({
  name: 'actOnTestPayment',
  method: 'POST',
  path: '/api/billing/test-payments/{id}',
  access: ADMINS,
  feature,
  summary: 'Simulate a payment event',
  description:
    'Does what a bank or the payment provider would do. Only with the built-in test provider.',
  params: z.strictObject({ id: Id }),
  body: z.strictObject({
    action: z.enum(TEST_ACTIONS, { error: `action must be one of ${TEST_ACTIONS.join(', ')}` }),
  }),
  example: { action: 'authenticate' },
  status: 202,
  answer: z.object({ paymentIntentId: Id }),
  answerExample: { paymentIntentId: '0193a1b2-0000-7000-8000-000000000001' },
  refusals: [NotATestPayment],
});
/** Both accept the provider's signed events. The signature covers the raw body. */
export const receiveStripeWebhook = endpoint({
  name: 'receiveStripeWebhook',
  method: 'POST',
  path: '/api/webhooks/stripe',
  access: PUBLIC,
  feature,
  summary: 'Receive a Stripe webhook',
  description: 'Receives events of Stripe. They must carry a valid signature.',
  status: 200,
  answer: z.object({ received: z.literal(true) }),
  answerExample: { received: true },
  refusals: [NotFound, WebhookNotSigned],
});
export const receiveTestPaymentsWebhook = endpoint({
  name: 'receiveTestPaymentsWebhook',
  method: 'POST',
  path: '/api/webhooks/test-payments',
  access: PUBLIC,
  feature,
  summary: 'Receive a test payment webhook',
  description:
    'Receives events of the built-in test provider, signed in the same way as those of Stripe.',
  status: 200,
  answer: z.object({ received: z.literal(true) }),
  answerExample: { received: true },
  refusals: [NotFound, WebhookNotSigned],
});
