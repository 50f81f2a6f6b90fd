import { randomUUID } from 'node:crypto';
import { type Agent, listAgents } from '@tallyhand/contracts/features/agents/agents.endpoints';
import { setLimit } from '@tallyhand/contracts/features/credits/credits.endpoints';
import { PACKAGES } from '@tallyhand/contracts/features/credits/credits.prices';
import {
  actOnTestPayment,
  confirmPurchase,
  purchaseCredits,
} from '@tallyhand/contracts/features/credits/payments.endpoints';
import type { TEST_OUTCOMES } from '@tallyhand/contracts/features/credits/payments.events';
import { signIn } from '@tallyhand/contracts/features/identity/identity.endpoints';
import { listMembers, type Member } from '@tallyhand/contracts/features/team/team.endpoints';
import { apiClient } from '@tallyhand/test-kit/api-client';
import { demoEmail, fillDemo } from '../demo/fill.ts';
import { sharedProduct } from '../testing/product.ts';

type Demo = { readonly admin: string; readonly password: string };

let filled: Promise<Demo> | undefined;

/** The demonstration, with payments and limits, in the product that test files share. */
export function sharedDemo(): Promise<Demo> {
  filled ??= fill();
  return filled;
}

async function fill(): Promise<Demo> {
  const { url } = await sharedProduct();
  const password = randomUUID();
  await fillDemo(url, password);
  await fillBilling(url, demoEmail, password);
  return { admin: demoEmail, password };
}

/** Fills the demonstration's billing page: a payment of each kind, and some limits. */
export async function fillBilling(url: string, email: string, password: string): Promise<void> {
  const client = apiClient(url);
  await client.call(signIn, { body: { email, password } });
  const buy = async (
    id: (typeof PACKAGES)[number]['id'],
    testOutcome: (typeof TEST_OUTCOMES)[number],
  ): Promise<string> => {
    const { credits, cents } = PACKAGES.find((it) => it.id === id) ?? PACKAGES[0];
    const bought = await client.call<{ paymentIntentId: string }>(purchaseCredits, {
      body: { credits, amount: cents / 100, testOutcome },
    });
    const { paymentIntentId } = bought.body;
    if (testOutcome !== 'needs-authentication') {
      await client.call(confirmPurchase, { body: { paymentIntentId, credits } });
    }
    return paymentIntentId;
  };
  const disputed = await buy('starter', 'success');
  await client.call(actOnTestPayment, { params: { id: disputed }, body: { action: 'dispute' } });
  await buy('starter', 'insufficient-funds');
  await buy('professional', 'success');
  await buy('enterprise', 'needs-authentication');

  const { body: agents } = await client.call<Agent[]>(listAgents);
  const { body: members } = await client.call<Member[]>(listMembers);
  const agentNamed = (name: string) => agents.find((it) => it.name === name)?.id;
  const limits = [
    { kind: 'agent', id: agentNamed('Support desk'), monthlyCredits: 200 },
    // It has run one task: this limit is reached.
    { kind: 'agent', id: agentNamed('Workshop'), monthlyCredits: 1 },
    { kind: 'member', id: members.find((it) => it.email === email)?.id, monthlyCredits: 500 },
  ];
  for (const body of limits) await client.call(setLimit, { body });
}
