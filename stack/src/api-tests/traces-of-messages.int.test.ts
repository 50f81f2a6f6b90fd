import { createAgent } from '@tallyhand/contracts/features/agents/agents.endpoints';
import { connectMailbox } from '@tallyhand/contracts/features/mailboxes/mailboxes.endpoints';
import { issueInvitation } from '@tallyhand/contracts/features/team/team.endpoints';
import {
  createWebhook,
  testWebhook,
  type WebhookEndpoint,
} from '@tallyhand/contracts/features/webhooks/webhooks.endpoints';
import { type Collector, startCollector } from '@tallyhand/service-kit/tracing/testing/collector';
import {
  type ApiClient,
  agentInput,
  agentWithArticle,
  registerOrganization,
} from '@tallyhand/test-kit/api-client';
import { type MailServer, mailThrough, startMailServer } from '@tallyhand/test-kit/mail-server';
import { afterAll, afterEach, beforeAll, describe, expect, it, vi } from 'vitest';
import { GMAIL_TOKEN, type GmailPeer, gmailBody, startGmailPeer } from '../testing/gmail-peer.ts';
import { connectedBy, mailboxBody, mailFrom, repliedTo } from '../testing/mailboxes.ts';
import { startTestProduct, type TestProduct } from '../testing/product.ts';
import { answering, startReceiver } from '../testing/receiver.ts';
import { SOON } from '../testing/soon.ts';
import { attributesOf, newTrace, traceIn } from '../testing/traces.ts';

const CLIENT = 3;
const FAILED = 2;
const CLICK = '00f067aa0ba902b7';
const password = 'canary-mailbox-password';
const address = 'canary-box@shop.example';

const stack = new AsyncDisposableStack();
let collector: Collector;
let smtp: MailServer;
let gmail: GmailPeer;
let product: TestProduct;
let client: ApiClient;
let agentId = '';
let organizationId = '';

beforeAll(async () => {
  collector = stack.use(await startCollector());
  const receiver = stack.use(await startReceiver());
  smtp = stack.use(await startMailServer());
  gmail = stack.use(await startGmailPeer());
  product = stack.use(
    await startTestProduct({
      tracing: { endpoint: collector.endpoint, ratio: 1 },
      allowPrivateHosts: '127.0.0.1',
      mail: mailThrough(smtp),
      mailboxTimes: SOON,
      webhookTimes: { retryMs: [30], answerMs: 5_000, failingMs: 86_400_000, lookMs: 20 },
      googleApiBase: gmail.url,
    }),
  );
  const registered = await registerOrganization(product.url);
  client = registered.client;
  organizationId = registered.user.organization.id;
  agentId = (await agentWithArticle(client)).agent.id;
  const body = { url: `${receiver.url}/canary-path`, events: ['AgentCreated'] };
  await client.call(createWebhook, { body });
});
afterAll(() => stack.disposeAsync());
/** Spans contain no personal address, no secret, no path and no words, whichever test made them. */
afterEach(() => {
  expect(collector.texts).not.toEqual([]);
  const sent = collector.texts.join();
  for (const kept of ['canary', '@', password, GMAIL_TOKEN, '/hook']) {
    expect(sent).not.toContain(kept);
  }
});

const named = (name: string) => collector.spans.filter((span) => span.name === name);
/** The first span of this name with these attributes. */
const spanWith = (name: string, attributes: object) =>
  vi.waitFor(() => {
    const span = named(name).find((each) =>
      Object.entries(attributes).every(([key, value]) => attributesOf(each)[key] === value),
    );
    return span ?? expect.fail(`No ${name} has ${JSON.stringify(attributes)}`);
  });

describe('a delivery to a webhook', () => {
  const { traceId, headerOf } = newTrace();

  it('is below the event that it announces, with host and outcome', async () => {
    await client.call(createAgent, { body: agentInput, headers: headerOf(CLICK) });
    const { pathOf } = traceIn(collector, traceId);
    await vi.waitFor(() =>
      expect(pathOf('deliver webhook')).toEqual([
        'deliver webhook',
        'append AgentCreated',
        'CreateAgent',
        'POST /api/agents',
      ]),
    );
    const span = await spanWith('deliver webhook', { 'tallyhand.outcome': 'delivered' });
    expect(span).toMatchObject({ kind: CLIENT, traceId });
    expect(attributesOf(span)).toMatchObject({
      'server.address': '127.0.0.1',
      'tallyhand.event': 'AgentCreated',
      'http.response.status_code': 204,
    });
  });

  it('that fails reports it, and a test delivery is a separate trace', async () => {
    await using failing = await startReceiver(answering(500));
    const { body } = await client.call<WebhookEndpoint>(createWebhook, {
      body: { url: failing.url, events: ['AgentDeleted'] },
    });
    await client.call(testWebhook, { params: { id: body.id } });
    // Deliveries of products that other files share may fail, too.
    const span = await spanWith('deliver webhook', {
      'tallyhand.organization': organizationId,
      'tallyhand.outcome': 'failed',
    });
    expect(span.status.code).toBe(FAILED);
    expect(span.parentSpanId || null).toBeNull();
  });
});

describe('a mail', () => {
  it('is below the call that caused it, with host and outcome', async () => {
    const { traceId, headerOf } = newTrace();
    const body = { email: 'canary-guest@example.com', role: 'Viewer' };
    await client.call(issueInvitation, { body, headers: headerOf(CLICK) });
    const { pathOf, spans } = traceIn(collector, traceId);
    await vi.waitFor(() =>
      expect(pathOf('send mail')?.at(-1)).toBe(`POST ${issueInvitation.path}`),
    );
    const span = spans().find(({ name }) => name === 'send mail') ?? expect.fail('No span');
    expect(span.kind).toBe(CLIENT);
    expect(attributesOf(span)).toEqual({
      'server.address': '127.0.0.1',
      'tallyhand.attempt': 1,
      'tallyhand.outcome': 'sent',
    });
  });
});

describe('a poll of a mailbox', () => {
  it('is a separate trace, and the work of its mail another one', async () => {
    const id = await connectedBy(client, agentId, gmailBody());
    const words = { id: 'one', subject: 'canary-subject', text: 'Within how many days?' };
    gmail.deliver('one', mailFrom('Ada <canary-ada@mail.example>', words));
    await repliedTo(client, id, words.subject, 'sent');
    const look = await spanWith('poll mailbox', {
      'tallyhand.provider': 'gmail',
      'tallyhand.outcome': 'done',
      'tallyhand.mails': 1,
    });
    expect(look.kind).toBe(CLIENT);
    expect(attributesOf(look)).toMatchObject({ 'server.address': '127.0.0.1' });
    expect(traceIn(collector, look.traceId).spans()).toEqual([look]);
    const reply = await spanWith('send reply', { 'tallyhand.outcome': 'sent' });
    expect(reply.kind).toBe(CLIENT);
    const { pathOf } = traceIn(collector, reply.traceId);
    for (const name of ['append MailReceived', 'run-task', 'project TaskSucceeded']) {
      await vi.waitFor(() => expect(pathOf(name), name).not.toBeNull());
    }
  });

  it.each(['imap', 'pop3'] as const)('over %s reports why it failed', async (provider) => {
    const closedPorts = { imapPort: 1, pop3Port: 1 };
    const body = mailboxBody(closedPorts, {
      address: `${provider}-${address}`,
      provider,
      password,
    });
    await client.call(connectMailbox, { params: { id: agentId }, body });
    const span = await spanWith('poll mailbox', { 'tallyhand.provider': provider });
    expect(span).toMatchObject({ kind: CLIENT, status: { code: FAILED } });
    expect(attributesOf(span)).toMatchObject({
      'server.address': '127.0.0.1',
      'tallyhand.outcome': 'connect',
      'tallyhand.mails': 0,
    });
  });
});
