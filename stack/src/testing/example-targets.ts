import { uploadAttachment } from '@tallyhand/contracts/features/attachments/attachments.endpoints';
import {
  type ChatReply,
  type ConversationDetail,
  chatWithAgent,
  getConversation,
} from '@tallyhand/contracts/features/chat/chat.endpoints';
import {
  confirmPurchase,
  purchaseCredits,
} from '@tallyhand/contracts/features/credits/payments.endpoints';
import { pauseMailbox } from '@tallyhand/contracts/features/mailboxes/mailboxes.endpoints';
import { createEmbeddings } from '@tallyhand/contracts/features/openai/embeddings.endpoints';
import { createPlaybook } from '@tallyhand/contracts/features/playbooks/playbooks.endpoints';
import {
  type ComparisonAccepted,
  compareVariants,
} from '@tallyhand/contracts/features/tasks/comparisons.endpoints';
import {
  type ExecutionResult,
  executeTask,
} from '@tallyhand/contracts/features/tasks/tasks.endpoints';
import { removeMember } from '@tallyhand/contracts/features/team/team.endpoints';
import { createTool } from '@tallyhand/contracts/features/tools/tools.endpoints';
import {
  createWebhook,
  testWebhook,
} from '@tallyhand/contracts/features/webhooks/webhooks.endpoints';
import type { Endpoint } from '@tallyhand/contracts/kernel/endpoint';
import {
  agentWithArticle,
  keyClient,
  playbookInput,
  registerOrganization,
  toolInput,
} from '@tallyhand/test-kit/api-client';
import { httpServer } from '@tallyhand/test-kit/http-server';
import { expect, vi } from 'vitest';
import type { Operation } from '../../../web/src/features/reference/document.ts';
import { embeddingModel, newConnection } from './connections.ts';
import { finishedExport } from './finished-export.ts';
import { newMailbox } from './mailboxes.ts';
import { invite, joinAs, newKey } from './members.ts';
import { starter } from './one-of-each.ts';
import { createdEarlier, pastMonth } from './past-months.ts';
import { pastSession, waitingSession } from './past-sessions.ts';
import type { TestProduct } from './product.ts';
import { hook } from './right-bodies.ts';
import { waitingReply, waitingTask } from './shop.ts';

/** What an example takes in place of its placeholders. */
export type Target = {
  /** Of the object in the path. */
  readonly id?: string;
  /** Fields of the body that name objects or hosts. */
  readonly body?: Readonly<Record<string, unknown>>;
  readonly query?: Readonly<Record<string, string>>;
};

export type ExampleTargets = AsyncDisposable & {
  /** Of an Admin. */
  readonly apiKey: string;
  /** Something new that the operation can be about. */
  targetOf(operation: Pick<Operation, 'operationId' | 'method' | 'path'>): Promise<Target>;
  /** Makes an event that a stream of changes announces. */
  change(): Promise<void>;
};

/** Makes what the examples of the reference are about, in an organization of their own. */
export async function exampleTargets({ url, config }: TestProduct): Promise<ExampleTargets> {
  const { client, user } = await registerOrganization(url);
  const { key: apiKey } = await newKey(client, 'Admin');
  const opened = new AsyncDisposableStack();
  const host = opened.use(await startHost());
  async function newId(endpoint: Endpoint, options: object): Promise<string> {
    const { status, body } = await client.call<{ id: string }>(endpoint, options);
    expect(status, JSON.stringify(body)).toBeLessThan(300);
    return body.id;
  }
  const made = () => agentWithArticle(client);
  const newAgent = async () => (await made()).agent.id;
  const newEmbeddings = async () =>
    opened.use(await embeddingModel(client, createEmbeddings.example?.model ?? ''));
  async function ofPastMonth() {
    await createdEarlier(config, user.organization.id);
    return { query: { month: pastMonth() } };
  }
  const newArticle = async () => (await made()).article.id;
  const newTool = (config: object) => newId(createTool, { body: { ...toolInput, config } });
  const newMember = async () => (await joinAs(client, url, 'Viewer')).user.id;
  const mailbox = async () => newMailbox(client, await newAgent());
  async function newSession() {
    const own = { organizationId: user.organization.id, userId: user.id };
    return pastSession(config, client, { ...own, agentId: await newAgent() });
  }
  async function newPayment(testOutcome?: string) {
    const body = { ...starter, ...(testOutcome ? { testOutcome } : {}) };
    return (await client.call<{ paymentIntentId: string }>(purchaseCredits, { body })).body
      .paymentIntentId;
  }
  async function newConversation() {
    const options = { params: { id: await newAgent() }, body: { message: 'Hello' } };
    // Only its own caller reads a conversation.
    const key = keyClient(url, apiKey);
    const { conversationId: id } = (await key.call<ChatReply>(chatWithAgent, options)).body;
    const read = () => key.call(getConversation, { params: { id } });
    await vi.waitFor(async () => expect((await read()).status).toBe(200));
    return id;
  }
  async function newTask() {
    const options = { params: { id: await newAgent() }, body: { input: 'Hello' } };
    return (await client.call<ExecutionResult>(executeTask, options)).body.taskId;
  }
  async function newComparison() {
    const options = { params: { id: await newAgent() }, body: compareVariants.example };
    return (await client.call<ComparisonAccepted>(compareVariants, options)).body.comparisonId;
  }
  async function paid() {
    const paymentIntentId = await newPayment();
    const body = { paymentIntentId, credits: starter.credits };
    expect((await client.call(confirmPurchase, { body })).status).toBe(200);
    return paymentIntentId;
  }
  async function newDelivery() {
    return newId(testWebhook, { params: { id: await newId(createWebhook, { body: hook }) } });
  }

  async function newAttachment(path: string) {
    const key = keyClient(url, apiKey);
    const body = path.endsWith('/image')
      ? { name: 'dot.png', content: DOT }
      : uploadAttachment.example;
    return (await key.call<{ id: string }>(uploadAttachment, { body })).body.id;
  }

  /** By the beginning of the path; the first that fits. */
  const ids: readonly (readonly [string, (path: string) => Promise<string>])[] = [
    ['/api/agents/{id}', newAgent],
    ['/api/api-keys/{id}', async () => (await newKey(client, 'Viewer')).id],
    ['/api/attachments/{id}', newAttachment],
    ['/api/audit/exports/{id}', () => finishedExport(client)],
    ['/api/autonomous/sessions/{id}', async () => (await newSession()).sessionId],
    ['/api/billing/payments/{id}', paid],
    ['/api/billing/test-payments/{id}', () => newPayment('needs-authentication')],
    ['/api/blobs/{hash}', async () => (await newSession()).image],
    ['/api/comparisons/{id}', newComparison],
    ['/api/connections/{id}', async () => (await newConnection(client)).id],
    ['/api/conversations/{id}', newConversation],
    ['/api/email-integrations/{id}', mailbox],
    ['/api/invitations/{id}', async () => (await invite(client, 'Viewer')).id],
    ['/api/knowledge/{id}', newArticle],
    ['/api/members/{id}', newMember],
    ['/api/playbooks/{id}', () => newId(createPlaybook, { body: playbookInput })],
    ['/api/tasks/{id}', newTask],
    ['/api/tools/{id}', () => newTool({ baseUrl: host.origin, authType: 'none' })],
    ['/api/webhook-endpoints/deliveries/{id}', newDelivery],
    ['/v1/models/{id}', newAgent],
    ['/api/webhook-endpoints/{id}', () => newId(createWebhook, { body: hook })],
  ];
  const others: Readonly<Record<string, () => Promise<Target>>> = {
    assignResources: async () => {
      const { agent, article } = await made();
      return { id: agent.id, body: { articles: [article.id] } };
    },
    confirmPurchase: async () => ({ body: { paymentIntentId: await newPayment() } }),
    connectMailbox: async () => ({
      id: await newAgent(),
      body: { emailAddress: `${crypto.randomUUID()}@example.com` },
    }),
    convertDocument: async () => ({ body: { url: `${host.origin}/returns` } }),
    createEmbeddings: async () => {
      await newEmbeddings();
      return {};
    },
    // Examples run side by side: the one above needs a model at any time.
    setMeaningSearch: async () => ({
      body: { source: 'connection', connectionId: (await newEmbeddings()).connectionId },
    }),
    createOpenAiResponse: async () => ({ body: { model: await newAgent() } }),
    createChatCompletion: async () => ({ body: { model: await newAgent() } }),
    decideReplyApproval: async () => {
      const { id, approvalId } = await waitingReply(client);
      return { id, body: { approvalId } };
    },
    decideApproval: async () => {
      const { id, approvalId } = await waitingTask(client);
      return { id, body: { approvalId } };
    },
    decideSessionApproval: async () => {
      const own = { organizationId: user.organization.id, userId: user.id };
      const agentId = await newAgent();
      const { id, approvalId } = await waitingSession(config, client, { ...own, agentId });
      return { id, body: { approvalId } };
    },
    executeTasks: async () => {
      const task = { agentId: await newAgent(), idempotencyKey: 'question-1', input: 'Hello' };
      return { body: { tasks: [task] } };
    },
    importArticle: async () => ({ body: { url: `${host.origin}/returns` } }),
    exportStatement: ofPastMonth,
    getStatementPdf: ofPastMonth,
    getStatementSignature: ofPastMonth,
    listAgentSummaries: async () => ({ query: { ids: await newAgent() } }),
    rateReply: async () => {
      const id = await newConversation();
      const key = keyClient(url, apiKey);
      const found = await key.call<ConversationDetail>(getConversation, { params: { id } });
      const messageId = found.body.messages.find(({ role }) => role === 'agent')?.id;
      return { id, body: { messageId } };
    },
    restoreMember: async () => {
      const id = await newMember();
      await client.call(removeMember, { params: { id } });
      return { id };
    },
    resumeMailbox: async () => {
      const id = await mailbox();
      await client.call(pauseMailbox, { params: { id } });
      return { id };
    },
    setLimit: async () => ({ body: { id: await newAgent() } }),
  };
  /** What is only read is made once, by the path it is for. */
  const onlyRead = new Map<string, Promise<string>>();
  function readOnly(start: string, make: (path: string) => Promise<string>, path: string) {
    const key = path.endsWith('/image') ? path : start;
    const id = onlyRead.get(key) ?? make(path);
    onlyRead.set(key, id);
    return id;
  }
  return {
    apiKey,
    async targetOf({ operationId, method, path }) {
      const other = others[operationId];
      if (other) return other();
      const [start, make] = ids.find(([beginning]) => path.startsWith(beginning)) ?? [];
      if (!start || !make) return {};
      const isRead = method === 'get';
      const id = await (isRead ? readOnly(start, make, path) : make(path));
      // A read by the API key does not wait for what the member wrote, so it is repeated.
      const read = () => keyClient(url, apiKey).send('GET', path.replace(/\{\w+\}/, id));
      if (isRead) await vi.waitFor(async () => expect((await read()).status).not.toBe(404));
      return { id };
    },
    async change() {
      await newAgent();
    },
    [Symbol.asyncDispose]: () => opened.disposeAsync(),
  };
}

/** A small PNG. */
const DOT =
  'iVBORw0KGgoAAAANSUhEUgAAAAgAAAAICAIAAABLbSncAAAACXBIWXMAAAPoAAAD6AG1e1JrAAAAEUlEQVQI12MwTjuDFTEMLQkAuYZZQQPYCNYAAAAASUVORK5CYII=';

/** A page about returns that is also an API of orders. */
const startHost = () =>
  httpServer((request, response) => {
    const isPage = request.url === '/returns';
    response.setHeader('content-type', isPage ? 'text/html; charset=utf-8' : 'application/json');
    response.end(
      isPage
        ? '<title>Returns</title><h1>Returns</h1><p>Items can be returned within 30 days.</p>'
        : '{"order": 7}',
    );
  });
