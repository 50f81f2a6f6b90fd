import type { AnswerExamples } from '../../kernel/answer-examples.ts';
import type * as credits from './credits.endpoints.ts';
import type * as payments from './payments.endpoints.ts';
import type * as statements from './statements.endpoints.ts';

const LEDGER_ENTRY: credits.LedgerEntry = {
  id: '0193a1b2-0000-7000-8000-000000000001',
  sequence: 5,
  kind: 'charged',
  availableChange: 0,
  postedChange: -1,
  available: 99,
  amount: 1,
  reason: null,
  approver: null,
  reservationId: '0193a1b2-0000-7000-8000-000000000002',
  work: {
    kind: 'task',
    id: '0193a1b2-0000-7000-8000-000000000002',
  },
  sessionId: null,
  workType: 'query',
  agentId: '0193a1b2-0000-7000-8000-000000000004',
  memberId: '0193a1b2-0000-7000-8000-000000000005',
  paymentId: null,
  hash: '3b7f2a9c5d1e48607f93b2c4d6e8a0125c7e9f1b3d5a78604e2c9b1d7f3a5e80',
  prev: '3b7f2a9c5d1e48607f93b2c4d6e8a0125c7e9f1b3d5a78604e2c9b1d7f3a5e80',
  at: '2027-01-31T09:30:00.000Z',
  createdAt: '2027-01-31T09:30:00.000Z',
};

export const creditsExamples: AnswerExamples<typeof credits & typeof payments & typeof statements> =
  {
    setLimit: {
      scope: {
        kind: 'agent',
        id: '0193a1b2-0000-7000-8000-000000000001',
      },
      monthlyCredits: 500,
    },
    startVerification: {
      status: 'running',
    },
    actOnTestPayment: {
      paymentIntentId: '0193a1b2-0000-7000-8000-000000000001',
    },
    confirmPurchase: {
      status: 'succeeded',
      creditBalance: 600,
    },
    getBillingSettings: {
      provider: 'test',
    },
    purchaseCredits: {
      paymentIntentId: '0193a1b2-0000-7000-8000-000000000001',
      status: 'pending',
      checkoutUrl: '/billing/test-checkout/0193a1b2-0000-7000-8000-000000000001',
    },
    AccountBalance: {
      account: 'usage',
      debits: 0,
      credits: 8,
    },
    UsageRow: {
      key: '2027-01-31',
      name: null,
      credits: 12,
      count: 12,
    },
    Verification: {
      status: 'passed',
      startedAt: '2027-01-31T09:30:00.000Z',
      finishedAt: '2027-01-31T09:30:01.200Z',
      entries: 120,
      head: '3b7f2a9c5d1e48607f93b2c4d6e8a0125c7e9f1b3d5a78604e2c9b1d7f3a5e80',
      brokenAt: null,
      available: {
        events: 88,
        readModel: 88,
        trialBalance: 88,
      },
      debits: 212,
      credits: 212,
    },
    LedgerEntry: LEDGER_ENTRY,
    LedgerGroup: {
      id: LEDGER_ENTRY.id,
      createdAt: LEDGER_ENTRY.createdAt,
      entries: [LEDGER_ENTRY],
    },
    SpendLimit: {
      scope: {
        kind: 'agent',
        id: '0193a1b2-0000-7000-8000-000000000001',
      },
      name: 'Support',
      monthlyCredits: 500,
      usedThisMonth: 12,
    },
    Package: {
      id: 'scale',
      name: 'Scale Pack',
      credits: 5000,
      popular: false,
      amount: 1499,
      pricePerCredit: '0.300',
    },
    Payment: {
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
    Statement: {
      month: '2026-10',
      startsAt: '2026-10-01T00:00:00.000Z',
      endsAt: '2026-11-01T00:00:00.000Z',
    },
    StatementSignature: {
      text: 'tallyhand statement\n0193a1b2-0000-7000-8000-000000000003\n2026-10\npdf\n3b7f2a9c5d1e48607f93b2c4d6e8a0125c7e9f1b3d5a78604e2c9b1d7f3a5e80\n',
      keyId: '8c1f0a2b3d4e5f60',
      signature:
        'eEqJ7YgXBvQF2u0c1nL8m5s9w3kz6pT4rHdV0yGfKJqAaXcWbNeMhUiOoRtPl1SDZ2xC7vB3nM4kL5jH6gF7Aw==',
    },
    receiveStripeWebhook: {
      received: true,
    },
    receiveTestPaymentsWebhook: {
      received: true,
    },
  };
