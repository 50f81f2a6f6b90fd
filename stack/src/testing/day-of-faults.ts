import {
  calling,
  completion,
  openAiPeer,
  type Received,
  sendJson,
} from '@tallyhand/agent-runtime/openai/fixtures/openai-peer';
import { assignResources } from '@tallyhand/contracts/features/agents/agents.endpoints';
import { createApiKey } from '@tallyhand/contracts/features/api-keys/api-keys.endpoints';
import { purchaseCredits } from '@tallyhand/contracts/features/credits/payments.endpoints';
import { registerUser, signIn } from '@tallyhand/contracts/features/identity/identity.endpoints';
import { connectMailbox } from '@tallyhand/contracts/features/mailboxes/mailboxes.endpoints';
import { executeTask } from '@tallyhand/contracts/features/tasks/tasks.endpoints';
import { issueInvitation } from '@tallyhand/contracts/features/team/team.endpoints';
import { createTool } from '@tallyhand/contracts/features/tools/tools.endpoints';
import {
  createWebhook,
  type NewWebhookEndpoint,
} from '@tallyhand/contracts/features/webhooks/webhooks.endpoints';
import type { Endpoint } from '@tallyhand/contracts/kernel/endpoint';
import type { Log } from '@tallyhand/service-kit/log';
import { openPool } from '@tallyhand/service-kit/postgres/pool';
import {
  type ApiClient,
  agentWithArticle,
  apiClient,
  keyClient,
  toolInput,
} from '@tallyhand/test-kit/api-client';
import { expect, vi } from 'vitest';
import { unreachable } from './mailboxes.ts';
import { startTestProduct } from './product.ts';
import { answering, startReceiver } from './receiver.ts';
import { SOON } from './soon.ts';

/** Secrets that may appear only where they are used, one of each kind. */
export const canaries = {
  password: 'canary-password-7d1f0c',
  wrongPassword: 'canary-wrong-password-93ab',
  modelKey: 'sk-canary-0123456789abcdef',
  stripeKey: 'sk_test_canary0123456789',
  stripeWebhookSecret: 'whsec_canary0123456789',
  smtpPassword: 'canary-smtp-5c2e',
  toolToken: 'canary-tool-token-81d3',
  mailboxPassword: 'canary-mailbox-password-2fe9',
  webhookPath: 'canary-webhook-path-66b0',
} as const;

const FAILING = 'Fail, please.';
/** One more than the allowed wrong attempts in a row. */
const GUESSES = 6;

/** Effects that follow the calls automatically. */
const FAULTS = [
  /^tallyhand_mail_tries_total\{state="waiting"\} [1-9]/m,
  /^tallyhand_mailbox_failures_total\{.*\} [1-9]/m,
  /^tallyhand_webhook_attempts_total\{outcome="retried"\} [1-9]/m,
];

export type DayOfFaults = AsyncDisposable & {
  /** Every line of the log, of each level. */
  readonly lines: readonly string[];
  /** Canaries, and secrets that the product made itself. */
  readonly secrets: readonly string[];
  /** The text of /metrics, now. */
  figures(): Promise<string>;
};

/** A product on which each main path was used, and everything failed that can. */
export async function dayOfFaults(): Promise<DayOfFaults> {
  await using opening = new AsyncDisposableStack();
  const lines: string[] = [];
  const model = opening.use(await openAiPeer((response, received) => say(response, received)));
  const receiver = opening.use(await startReceiver(answering(500, canaries.webhookPath)));
  const product = opening.use(
    await startTestProduct({
      rateLimitScale: 1,
      allowPrivateHosts: receiver.host,
      model: { openAiApiKey: canaries.modelKey, openAiBaseUrl: model.baseURL },
      mail: {
        smtpUrl: `smtp://user:${canaries.smtpPassword}@127.0.0.1:1`,
        from: 'Tallyhand <tallyhand@example.com>',
      },
      payments: {
        stripeSecretKey: canaries.stripeKey,
        stripeWebhookSecret: canaries.stripeWebhookSecret,
        stripeApiBase: 'http://127.0.0.1:1',
      },
      mailboxTimes: SOON,
      log: keepingLog(lines),
    }),
  );
  const { client, key, hookSecret } = await setUp(product.url, receiver.url);
  const figures = async () => (await fetch(`${product.url}/metrics`)).text();
  await work(client, product.url);
  await noteBackup(product.config.databaseUrl);
  for (const line of FAULTS) {
    await vi.waitFor(async () => expect(await figures()).toMatch(line));
  }
  const opened = opening.move();
  return {
    lines,
    secrets: [...Object.values(canaries), key, hookSecret, client.cookies.get('tallyhand') ?? ''],
    figures,
    [Symbol.asyncDispose]: () => opened.disposeAsync(),
  };
}

/** An endpoint that repeats the key that it refuses. */
function say(response: Parameters<typeof sendJson>[0], { body, authorization }: Received) {
  const isAsked = (text: string) => JSON.stringify(body.messages).includes(text);
  if (isAsked(FAILING)) return sendJson(response, 401, { error: { message: authorization } });
  const tool = body.tools?.[0]?.function.name;
  if (tool && !body.messages.some(({ role }) => role === 'tool')) {
    return sendJson(response, 200, calling([tool, { method: 'GET', path: '/orders/7' }]));
  }
  const reply = { answer: 'Within 30 days.', usedPassages: [1], reasoning: 'It says so.' };
  return sendJson(response, 200, completion(reply));
}

function keepingLog(lines: string[]): Log {
  const keep = (message: string, fields: object = {}) =>
    lines.push(JSON.stringify({ message, ...fields }));
  return { info: keep, warn: keep, error: keep };
}

/** An organization with every kind of connection, each with a secret and a fault. */
async function setUp(url: string, receiverUrl: string) {
  const client = apiClient(url);
  const { password } = canaries;
  const email = 'ada@canary.example';
  const person = { email, password, username: 'Ada', organizationName: 'Canaries' };
  await made(client, registerUser, { body: person });
  const { agent, article } = await agentWithArticle(client);
  const { key } = await made<{ key: string }>(client, createApiKey, {
    body: { name: 'Of a script', role: 'AgentManager' },
  });
  const tool = await made<{ id: string }>(client, createTool, {
    body: {
      ...toolInput,
      config: { baseUrl: 'http://127.0.0.1:1/api', authType: 'bearer' },
      authCredentials: { token: canaries.toolToken },
    },
  });
  await client.call(assignResources, {
    params: { id: agent.id },
    body: { articles: [article.id], tools: [tool.id], playbooks: [] },
  });
  const mailbox = unreachable();
  await made(client, connectMailbox, {
    params: { id: agent.id },
    body: {
      ...mailbox,
      credentials: { ...mailbox.credentials, password: canaries.mailboxPassword },
    },
  });
  const hook = await made<NewWebhookEndpoint>(client, createWebhook, {
    body: { url: `${receiverUrl}/${canaries.webhookPath}`, events: ['TaskSucceeded'] },
  });
  const params = { id: agent.id };
  const run = (by: ApiClient, body: object) => by.call(executeTask, { params, body });
  await run(client, { input: 'Within how many days?', type: 'query' });
  await run(keyClient(url, key), { input: FAILING, type: 'query' });
  await run(client, { input: 'Look up order 7', type: 'tool_run', toolId: tool.id });
  return { client, key, hookSecret: hook.secret };
}

/** Refused calls, and deliveries that other servers refuse. */
async function work(client: ApiClient, url: string) {
  await made(client, issueInvitation, { body: { email: 'bob@canary.example', role: 'Viewer' } });
  await client.call(purchaseCredits, { body: { credits: 100, amount: 49 } });
  const guess = { email: 'ada@canary.example', password: canaries.wrongPassword };
  const statuses: number[] = [];
  for (let turn = 0; turn < GUESSES; turn += 1) {
    statuses.push((await apiClient(url).call(signIn, { body: guess })).status);
  }
  expect(statuses.at(-1)).toBe(429);
  expect((await apiClient(url).send('GET', '/api/events')).status).toBe(401);
  await keyClient(url, `th_${'x'.repeat(43)}`).call(createApiKey, { body: {} });
}

/** What `npm run backup` and a time-stamp authority leave behind. */
async function noteBackup(databaseUrl: string) {
  const pool = openPool(databaseUrl, 1);
  await pool.query('insert into operational.last_backup (made_at, bytes) values (now(), 1)');
  await pool.query(
    `insert into operational.audit_anchors (number, text, token, authority, stamped_at)
     values (1, 'an anchor', 'a token', 'an authority', now())`,
  );
  await pool.end();
}

async function made<A>(client: ApiClient, endpoint: Endpoint, options: object): Promise<A> {
  const { status, body } = await client.call<A>(endpoint, options);
  expect(status, `${endpoint.name}: ${JSON.stringify(body)}`).toBe(endpoint.status);
  return body;
}
