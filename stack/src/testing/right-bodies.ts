import { endpoints } from '@tallyhand/contracts/endpoints';
import { createAgent } from '@tallyhand/contracts/features/agents/agents.endpoints';
import {
  receiveStripeWebhook,
  receiveTestPaymentsWebhook,
} from '@tallyhand/contracts/features/credits/payments.endpoints';
import { createArticle } from '@tallyhand/contracts/features/knowledge/knowledge.endpoints';
import { createConnection } from '@tallyhand/contracts/features/models/models.endpoints';
import { createPlaybook } from '@tallyhand/contracts/features/playbooks/playbooks.endpoints';
import { createTool } from '@tallyhand/contracts/features/tools/tools.endpoints';
import type { Endpoint } from '@tallyhand/contracts/kernel/endpoint';
import { unreachable } from './mailboxes.ts';

/** Calls signed by a program are authenticated by their signature alone. */
const signed: readonly Endpoint[] = [receiveStripeWebhook, receiveTestPaymentsWebhook];

/** The calls that change something and come from members or visitors. */
export const unsafe = endpoints.filter((each) => each.method !== 'GET' && !signed.includes(each));

/** Those of them that take a body. */
export const taking = unsafe.filter(({ body }) => body);

export function byName(name: string): Endpoint {
  const endpoint = endpoints.find((each) => each.name === name);
  if (!endpoint) throw new Error(`There is no call ${name}`);
  return endpoint;
}

/** The roles in the contracts; null where every member may. */
export const rolesFor = (name: string) => byName(name).roles;

export type Json = Record<string, unknown>;

/** An endpoint of models that does not answer. */
export const modelEndpoint = { provider: 'other', baseUrl: 'https://models.example.com/v1' };

export const hook = { url: 'https://example.com/hook', events: ['TaskSucceeded'] };

const { example: agent } = createAgent;
const { example: article } = createArticle;
const { example: playbook } = createPlaybook;
const { example: tool } = createTool;

/** Bodies with fields that the examples leave out, so that each call has every field. */
const fuller: Readonly<Record<string, object | undefined>> = {
  changeAgent: agent,
  changeArticle: article,
  changePlaybook: playbook,
  changeTool: { ...tool, policies: { changes: 'ask', operations: { refund: 'never' } } },
  createConnection: {
    embeddingModel: 'mistral-embed',
    prices: [{ model: 'm', input: 1, cachedInput: 1, output: 1 }],
  },
  changeConnection: createConnection.example,
  decideApproval: { forRun: false },
  decideReplyApproval: { forRun: false },
  decideSessionApproval: { forRun: false },
  rateReply: { reason: 'It quotes the right article.' },
  chatWithAgent: { conversationId: crypto.randomUUID(), attachments: [crypto.randomUUID()] },
  executeTask: { attachments: [crypto.randomUUID()] },
  registerUser: { invite: 'token' },
  signIn: { code: '123456' },
  changeProfile: { email: 'new@example.com', currentPassword: 'long enough' },
  purchaseCredits: { credits: 100, amount: 49, testOutcome: 'success' },
  confirmPurchase: { credits: 100 },
  startAuditExport: { filter: { kind: 'agent', q: 'returns' }, upTo: 1 },
  createWebhook: { description: 'Orders' },
  changeWebhook: { ...hook, description: 'Orders' },
  changeNotificationPreferences: { agentStatusUpdates: true, creditBalanceAlerts: true },
  connectMailbox: unreachable(),
  testNewMailbox: unreachable(),
  sendContactMessage: { company: 'Harbour', fax: '' },
  openTicket: { company: 'Harbour', fax: '' },
};

/** A valid body with every field, for each call with a body. */
export const rightBodies: Readonly<Record<string, Json>> = {
  ...Object.fromEntries(
    taking.map(({ name, example }) => [name, { ...(example as Json), ...fuller[name] }]),
  ),
  // Either ids or all.
  markNotificationsRead: { ids: [crypto.randomUUID()] },
};

export const isObject = (value: unknown): value is Json =>
  typeof value === 'object' && value !== null && !Array.isArray(value);

/** Every field of a body by its path, those inside others too. */
export function fieldsOf(body: Json, prefix: string[] = []): { path: string[]; value: unknown }[] {
  return Object.entries(body).flatMap(([key, value]) => {
    const path = [...prefix, key];
    return [{ path, value }, ...(isObject(value) ? fieldsOf(value, path) : [])];
  });
}

export function withField(
  body: Json,
  [key = '', ...rest]: readonly string[],
  value: unknown,
): Json {
  const inner = rest.length > 0 ? withField(body[key] as Json, rest, value) : value;
  return { ...body, [key]: inner };
}
