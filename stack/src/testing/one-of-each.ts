import { createHmac } from 'node:crypto';
import { getAssignments, listAgents } from '@tallyhand/contracts/features/agents/agents.endpoints';
import { listApiKeys } from '@tallyhand/contracts/features/api-keys/api-keys.endpoints';
import { type ChatReply, chatWithAgent } from '@tallyhand/contracts/features/chat/chat.endpoints';
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
import { getCurrentUser } from '@tallyhand/contracts/features/identity/identity.endpoints';
import { listArticles } from '@tallyhand/contracts/features/knowledge/knowledge.endpoints';
import { listConnections } from '@tallyhand/contracts/features/models/models.endpoints';
import {
  getOrganization,
  type Organization,
} from '@tallyhand/contracts/features/organizations/organizations.endpoints';
import {
  createPlaybook,
  listPlaybooks,
} from '@tallyhand/contracts/features/playbooks/playbooks.endpoints';
import { listSessions } from '@tallyhand/contracts/features/sessions/sessions.endpoints';
import {
  type ExecutionResult,
  executeTask,
  listTasks,
} from '@tallyhand/contracts/features/tasks/tasks.endpoints';
import {
  getInvitationLink,
  listInvitations,
  listMembers,
  renewInvitationLink,
} from '@tallyhand/contracts/features/team/team.endpoints';
import { createTool, listTools } from '@tallyhand/contracts/features/tools/tools.endpoints';
import { createWebhook } from '@tallyhand/contracts/features/webhooks/webhooks.endpoints';
import type { Endpoint } from '@tallyhand/contracts/kernel/endpoint';
import type { Problem } from '@tallyhand/contracts/kernel/problem';
import {
  type ApiAnswer,
  type ApiClient,
  agentWithArticle,
  apiClient,
  playbookInput,
  registerOrganization,
  toolInput,
} from '@tallyhand/test-kit/api-client';
import { expect } from 'vitest';
import { newConnection } from './connections.ts';
import { newMailbox } from './mailboxes.ts';
import { invite, newKey } from './members.ts';
import { pastSession } from './past-sessions.ts';
import type { TestProduct } from './product.ts';
import { hook } from './right-bodies.ts';

export const starter = { credits: 100, amount: 49 };
export const professional = { credits: 500, amount: 199 };

export type Bought = {
  readonly paymentIntentId: string;
  readonly status: string;
  readonly checkoutUrl?: string;
};
type Confirmed = { readonly status: string; readonly creditBalance: number };

/** An Admin's calls about payments. */
export function purchasesOf(client: ApiClient) {
  const payments = async () => (await client.call<Payment[]>(listPayments)).body;
  const find = async (id: string) => (await payments()).find((payment) => payment.id === id);
  const balance = async () => (await client.call<Organization>(getOrganization)).body.creditBalance;
  /** The ledger's entries of a payment, oldest first. */
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
    /** Waits until the ledger has exactly these entries of a payment. */
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

type Told = { readonly type: string; readonly object: object };

export const eventText = ({ type, object }: Told) =>
  JSON.stringify({ id: 'evt_1', object: 'event', type, data: { object } });

/** Sends a webhook, genuine or forged. */
export function sendWebhook(
  url: string,
  { path }: Pick<typeof receiveStripeWebhook, 'path'>,
  body: string,
  headers: Readonly<Record<string, string>>,
): Promise<ApiAnswer<Problem & { received?: true }>> {
  const options = { raw: body, headers: { 'content-type': 'application/json', ...headers } };
  return apiClient(url).send('POST', path, options);
}

type Made = { readonly id: string };

const seen: readonly Endpoint[] = [
  getCurrentUser,
  getOrganization,
  listAgents,
  listArticles,
  listTasks,
  listMembers,
  listInvitations,
  getInvitationLink,
  listLedgerEntries,
  getAssignments,
  listPlaybooks,
  listTools,
  listConnections,
  listSessions,
  listApiKeys,
];

export type OneOfEach = {
  /** The Admin of the organization. */
  readonly client: ApiClient;
  /** The id of each, by its feature. */
  readonly made: Readonly<Record<string, string>>;
  /** The id in the path of a call, that of something which is there. */
  existing(endpoint: Endpoint): { id: string };
  /** Everything that the organization has and has paid; throws where it can't be read. */
  state(): Promise<unknown[]>;
};

/** An organization with one of each thing that calls can be about. */
export async function oneOfEach({ url, config }: TestProduct): Promise<OneOfEach> {
  const { client, user } = await registerOrganization(url);
  const { agent, article } = await agentWithArticle(client);
  const invitation = await invite(client, 'Viewer');
  await client.call(renewInvitationLink);
  const hello = { params: { id: agent.id }, body: { message: 'Hello' } };
  const own = { organizationId: user.organization.id, userId: user.id, agentId: agent.id };
  const task = { params: { id: agent.id }, body: { input: 'Hello' } };
  const made: Record<string, string> = {
    identity: crypto.randomUUID(),
    agents: agent.id,
    tasks: agent.id,
    openai: agent.id,
    knowledge: article.id,
    team: invitation.id,
    webhooks: (await client.call<Made>(createWebhook, { body: hook })).body.id,
    mailboxes: await newMailbox(client, agent.id),
    'api-keys': (await newKey(client, 'Viewer')).id,
    playbooks: (await client.call<Made>(createPlaybook, { body: playbookInput })).body.id,
    chat: (await client.call<ChatReply>(chatWithAgent, hello)).body.conversationId,
    tools: (await client.call<Made>(createTool, { body: toolInput })).body.id,
    models: (await newConnection(client)).id,
    ratings: (await client.call<ExecutionResult>(executeTask, task)).body.taskId,
    sessions: (await pastSession(config, client, own)).sessionId,
    credits: (await purchasesOf(client).buy('needs-authentication')).paymentIntentId,
  };
  return {
    client,
    made,
    existing({ feature, path }) {
      if (path.startsWith('/api/agents/')) return { id: made.agents ?? '' };
      if (path.startsWith('/api/conversations/')) return { id: made.chat ?? '' };
      return { id: made[feature] ?? '' };
    },
    async state() {
      const params = { id: agent.id };
      const answers = await Promise.all(seen.map((endpoint) => client.call(endpoint, { params })));
      const failed = answers.find(({ status }) => status !== 200);
      if (failed)
        throw new Error(`A read answered ${failed.status}: ${JSON.stringify(failed.body)}`);
      return answers.map(({ body }) => withoutWhen(body));
    },
  };
}

/** Without the times when members and keys were last seen, which reading changes. */
const withoutWhen = (body: unknown) =>
  JSON.parse(
    JSON.stringify(body, (name, value) =>
      name === 'lastActive' || name === 'lastUsedAt' ? undefined : value,
    ),
  );
