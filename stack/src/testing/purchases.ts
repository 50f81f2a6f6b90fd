import { createHmac } from 'node:crypto';
import {
  type LedgerEntry,
  listLedgerEntries,
} from '@tallyhand/contracts/features/credits/credits.endpoints';
import {
  actOnTestPayment,
  confirmPurchase,
  listPayments,
  type Payment,
  purchaseCredits,
  type receiveStripeWebhook,
} from '@tallyhand/contracts/features/credits/payments.endpoints';
import {
  getOrganization,
  type Organization,
} from '@tallyhand/contracts/features/organizations/organizations.endpoints';
import type { Problem } from '@tallyhand/contracts/kernel/problem';
import { type ApiAnswer, type ApiClient, apiClient } from '@tallyhand/test-kit/api-client';
import { expect } from 'vitest';

export const starter = { credits: 100, amount: 49 };
export const professional = { credits: 500, amount: 199 };

export type Bought = {
  readonly paymentIntentId: string;
  readonly status: string;
  readonly checkoutUrl?: string;
};
export type Confirmed = { readonly status: string; readonly creditBalance: number };

/** What an Admin does with payments, and sees of them. */
export function purchasesOf(client: ApiClient) {
  const payments = async () => (await client.call<Payment[]>(listPayments)).body;
  const find = async (id: string) => (await payments()).find((payment) => payment.id === id);
  const balance = async () => (await client.call<Organization>(getOrganization)).body.creditBalance;
  /** What the ledger says of a payment, oldest first. */
  const entries = async (id: string) => {
    const { body } = await client.call<LedgerEntry[]>(listLedgerEntries);
    const own = body.filter(({ paymentId }) => paymentId === id);
    return own.map(({ kind, availableChange }) => `${kind} ${availableChange}`).toReversed();
  };
  return {
    payments,
    find,
    balance,
    entries,
    /** The id of a new payment. */
    async buy(testOutcome?: string, offer = starter): Promise<Bought> {
      const body = { ...offer, ...(testOutcome ? { testOutcome } : {}) };
      const answer = await client.call<Bought>(purchaseCredits, { body });
      expect(answer).toMatchObject({ status: 201 });
      return answer.body;
    },
    confirm: (paymentIntentId: string, credits = starter.credits) =>
      client.call<Confirmed & Problem>(confirmPurchase, { body: { paymentIntentId, credits } }),
    act: (id: string, action: string) =>
      client.call<Problem>(actOnTestPayment, { params: { id }, body: { action } }),
    /** Waits until the ledger says just this of a payment. */
    expectEntries: (id: string, expected: readonly string[]) =>
      expect.poll(() => entries(id)).toEqual(expected),
    expectStatus: (id: string, status: Payment['status']) =>
      expect.poll(async () => (await find(id))?.status).toBe(status),
    expectBalance: (credits: number) => expect.poll(balance).toBe(credits),
  };
}

/** The scheme of Stripe's signatures, as it is published. */
export function signatureOf(body: string, secret: string, secondsAgo = 0): string {
  const time = Math.floor(Date.now() / 1_000) - secondsAgo;
  const signature = createHmac('sha256', secret).update(`${time}.${body}`).digest('hex');
  return `t=${time},v1=${signature}`;
}

export type Told = { readonly type: string; readonly object: object };

export const eventText = ({ type, object }: Told) =>
  JSON.stringify({ id: 'evt_1', object: 'event', type, data: { object } });

/** Sends a webhook as a provider, or as an impostor, does. */
export function sendWebhook(
  url: string,
  { path }: Pick<typeof receiveStripeWebhook, 'path'>,
  body: string,
  headers: Readonly<Record<string, string>>,
): Promise<ApiAnswer<Problem & { received?: true }>> {
  const options = { raw: body, headers: { 'content-type': 'application/json', ...headers } };
  return apiClient(url).send('POST', path, options);
}
