import { makeDeliveries } from '@tallyhand/command-service/features/webhooks/make-deliveries';
import { createAgent } from '@tallyhand/contracts/features/agents/agents.endpoints';
import {
  listRecordedEvents,
  type RecordedEvent,
} from '@tallyhand/contracts/features/audit/audit.endpoints';
import {
  changeWebhook,
  createWebhook,
  deleteWebhook,
  listDeliveries,
  listWebhooks,
  type NewWebhookEndpoint,
  redeliverWebhook,
  rotateWebhookSecret,
  testWebhook,
  type WebhookDelivery,
  type WebhookEndpoint,
  type WebhookSecret,
} from '@tallyhand/contracts/features/webhooks/webhooks.endpoints';
import type { Problem } from '@tallyhand/contracts/kernel/problem';
import { READ_MODELS_CHANNEL } from '@tallyhand/service-kit/postgres/read-position';
import { type ApiClient, agentInput, registerOrganization } from '@tallyhand/test-kit/api-client';
import pg from 'pg';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { holdAuditLog } from '../testing/held-log.ts';
import { type OwnProduct, startTestProduct } from '../testing/product.ts';
import { answering, isSignedBy, startReceiver } from '../testing/receiver.ts';
import { startInternalSide } from '../testing/scripted-runner.ts';

const times = { retryMs: [30, 30, 30], answerMs: 400, failingMs: 86_400_000, lookMs: 20 };

let product: OwnProduct;
let admin: ApiClient;

beforeAll(async () => {
  product = await startTestProduct({ allowPrivateHosts: '127.0.0.1', webhookTimes: times });
});
afterAll(() => product[Symbol.asyncDispose]());

async function webhookTo(url: string, events = ['AgentCreated']) {
  ({ client: admin } = await registerOrganization(product.url));
  return anotherWebhook(url, events);
}
async function anotherWebhook(url: string, events = ['WebhookSecretRotated']) {
  const { status, body } = await admin.call<NewWebhookEndpoint>(createWebhook, {
    body: { url, events },
  });
  expect(status).toBe(201);
  return body;
}
const newAgent = async () =>
  expect((await admin.call(createAgent, { body: agentInput })).status).toBe(201);
const deliveries = async ({ id }: { id: string }) =>
  (await admin.call<WebhookDelivery[]>(listDeliveries, { params: { id } })).body;
const found = async ({ id }: { id: string }) => {
  const { body } = await admin.call<WebhookEndpoint[]>(listWebhooks);
  return body.find((each) => each.id === id);
};
/** As soon as the newest delivery is in this state. */
async function newest(webhook: { id: string }, state: WebhookDelivery['state']) {
  await expect.poll(async () => (await deliveries(webhook))[0]?.state).toBe(state);
  return (await deliveries(webhook))[0] as WebhookDelivery;
}
async function sql(text: string, values: unknown[] = []) {
  const db = new pg.Client({ connectionString: product.config.databaseUrl });
  await db.connect();
  try {
    return (await db.query(text, values)).rows;
  } finally {
    await db.end();
  }
}
const recordedOf = async (kind: string) =>
  (await admin.call<RecordedEvent[]>(listRecordedEvents, { query: { kind } })).body;

/** As soon as the maker of deliveries has looked at all webhooks of this one's organization. */
async function nextPageOf(id: string) {
  const found = (set: string) => sql(`${set} where webhook_id = $1`, [id]);
  await found('update operational.webhooks set sequence = 0');
  const [own] = await found('select organization_id from operational.webhooks');
  const changes = [{ organizationId: own.organization_id, features: ['audit-log'] }];
  const payload = JSON.stringify({ position: '', changes });
  await sql('select pg_notify($1, $2)', [READ_MODELS_CHANNEL, payload]);
  const isMade = () => found('select sequence > 0 as is_made from operational.webhooks');
  await expect.poll(isMade).toEqual([{ is_made: true }]);
}

describe('a webhook', () => {
  it('receives events as the history shows them, signed, and once', async () => {
    await using receiver = await startReceiver(answering(200, 'Thanks'));
    const webhook = await webhookTo(receiver.url);
    expect(webhook.secret).toMatch(/^whsec_[A-Za-z0-9+/]{43}=$/);
    await newAgent();
    const delivery = await newest(webhook, 'delivered');
    const [first, ...more] = receiver.received;
    expect(more).toEqual([]);
    expect(first && isSignedBy(webhook.secret, first)).toBe(true);
    const { at, ...event } = (await recordedOf('AgentCreated'))[0] as RecordedEvent;
    expect(first?.id).toBe(delivery.id);
    expect(first?.body).toEqual({
      type: 'AgentCreated',
      timestamp: new Date(at).toISOString(),
      data: { ...event, at: new Date(at).toISOString() },
    });
    expect(delivery).toMatchObject({ attempts: 1, answer: 'Thanks', type: 'AgentCreated' });
    expect(delivery.log).toMatchObject([{ status: 200, error: null }]);
  });

  it('receives only the chosen types, or everything from its creation on', async () => {
    await using receiver = await startReceiver();
    const webhook = await webhookTo(receiver.url, ['*']);
    await newAgent();
    await expect.poll(() => receiver.received.length).toBeGreaterThanOrEqual(1);
    const params = { id: webhook.id };
    const body = { events: ['WebhookSecretRotated'], description: 'Only these' };
    expect((await admin.call(changeWebhook, { params, body })).status).toBe(200);
    await admin.call(rotateWebhookSecret, { params });
    const types = () => receiver.received.map((each) => each.body.type);
    await expect.poll(types).toContain('WebhookSecretRotated');
    // Nothing from before it.
    expect(types()).not.toContain('OrganizationRegistered');
    expect(types()).not.toContain('WebhookCreated');
    expect(types()).toContain('AgentCreated');
  });

  it('is signed with the old secret too for a day after it was rotated', async () => {
    await using receiver = await startReceiver();
    const webhook = await webhookTo(receiver.url);
    const params = { id: webhook.id };
    const { body: rotated } = await admin.call<WebhookSecret>(rotateWebhookSecret, { params });
    expect((await admin.call(testWebhook, { params })).status).toBe(202);
    await newest(webhook, 'delivered');
    const ping = receiver.received[0];
    expect(ping?.body).toMatchObject({ type: 'ping', data: { webhookId: webhook.id } });
    expect(ping && isSignedBy(webhook.secret, ping)).toBe(true);
    expect(ping && isSignedBy(rotated.secret, ping)).toBe(true);
    await sql(`update operational.webhooks set old_secret_until = now() where webhook_id = $1`, [
      webhook.id,
    ]);
    await admin.call(testWebhook, { params });
    await expect.poll(() => receiver.received.length).toBe(2);
    const second = receiver.received[1];
    expect(second && isSignedBy(webhook.secret, second)).toBe(false);
    expect(second && isSignedBy(rotated.secret, second)).toBe(true);
  });

  it('keeps its secret to itself, at rest and in answers', async () => {
    await using receiver = await startReceiver();
    const webhook = await webhookTo(`${receiver.url}?token=in-the-address`);
    const shown = [await found(webhook), await deliveries(webhook)];
    expect(JSON.stringify(shown)).not.toContain(webhook.secret);
    const rows = await sql('select encode(secret, $1) as secret from operational.webhooks', [
      'escape',
    ]);
    expect(JSON.stringify(rows)).not.toContain(webhook.secret);
    const { body } = await admin.call(listRecordedEvents);
    expect(JSON.stringify(body)).toContain('WebhookCreated');
    expect(JSON.stringify(body)).not.toContain('in-the-address');
    expect(JSON.stringify(body)).not.toContain(webhook.secret);
  });

  it('gets nothing more once it is deleted', async () => {
    await using receiver = await startReceiver();
    const webhook = await webhookTo(receiver.url);
    const params = { id: webhook.id };
    expect((await admin.call(deleteWebhook, { params })).status).toBe(204);
    expect((await admin.call(deleteWebhook, { params })).status).toBe(204);
    expect((await admin.call(listDeliveries, { params })).status).toBe(404);
    expect(await found(webhook)).toBeUndefined();
  });
});

describe('a receiver', () => {
  it('that answers 500 is tried again, under the same id', async () => {
    await using receiver = await startReceiver((response, count) =>
      response.writeHead(count < 3 ? 500 : 200).end(),
    );
    const webhook = await webhookTo(receiver.url);
    await newAgent();
    const delivery = await newest(webhook, 'delivered');
    expect(delivery.log.map(({ status }) => status)).toEqual([500, 500, 200]);
    expect(new Set(receiver.received.map(({ id }) => id))).toEqual(new Set([delivery.id]));
    expect((await found(webhook))?.failingSince).toBeNull();
  });

  it('that hangs is given up after its time, and delays no other', async () => {
    await using hanging = await startReceiver(() => {});
    const webhook = await webhookTo(hanging.url);
    await using other = await startReceiver();
    const body = { url: other.url, events: ['AgentCreated'] };
    const { body: quick } = await admin.call<NewWebhookEndpoint>(createWebhook, { body });
    for (let n = 0; n < 5; n += 1) await newAgent();
    await expect.poll(() => other.received.length).toBe(5);
    // The five deliveries to the one that hangs, with four attempts each, are not over.
    expect(hanging.received.length).toBeLessThan(5 * 4);
    await newest(quick, 'delivered');
    const ended = await newest(webhook, 'failed');
    expect(ended.attempts).toBe(4);
    expect(ended.log.at(-1)).toMatchObject({
      status: null,
      error: '127.0.0.1 did not answer in time.',
    });
    expect((await found(webhook))?.failingSince).not.toBeNull();
  });

  it('whose answer never ends is read for a limited time', async () => {
    await using receiver = await startReceiver((response) => {
      response.writeHead(200);
      const more = () => void (response.destroyed || response.write('x'.repeat(65_536), more));
      more();
    });
    const webhook = await webhookTo(receiver.url);
    await newAgent();
    const delivery = await newest(webhook, 'delivered');
    expect(delivery.answer).toBe('x'.repeat(1_000));
  });

  it('that redirects is not followed', async () => {
    await using secret = await startReceiver();
    await using receiver = await startReceiver((response) =>
      response.writeHead(307, { location: secret.url }).end(),
    );
    const webhook = await webhookTo(receiver.url);
    await newAgent();
    const { log } = await newest(webhook, 'failed');
    expect(log[0]?.error).toBe('It redirects, which is not followed.');
    expect(secret.received).toEqual([]);
  });

  it('that is deleted disables its webhook immediately', async () => {
    await using receiver = await startReceiver(answering(410));
    const webhook = await webhookTo(receiver.url);
    await newAgent();
    await newest(webhook, 'failed');
    await expect.poll(async () => (await found(webhook))?.disabledReason).toBe('gone');
    expect(receiver.received).toHaveLength(1);
    const disabled = [{ data: { webhookId: webhook.id, reason: 'gone' } }];
    await expect.poll(() => recordedOf('WebhookDisabled')).toMatchObject(disabled);
    const tested = await admin.call<Problem>(testWebhook, { params: { id: webhook.id } });
    expect([tested.status, tested.body.code]).toEqual([409, 'webhook-disabled']);
  });

  it('that has failed for days disables its webhook; enabled, it starts again', async () => {
    await using receiver = await startReceiver(answering(500));
    const webhook = await webhookTo(receiver.url);
    await newAgent();
    await newest(webhook, 'failed');
    const long = `update operational.webhooks set failing_since = now() - interval '6 days'`;
    await sql(`${long} where webhook_id = $1`, [webhook.id]);
    await newAgent();
    await expect.poll(async () => (await found(webhook))?.disabledReason).toBe('failing');
    await newest(webhook, 'failed');
    // Events from now on are not for this webhook.
    await newAgent();
    receiver.answerWith(answering(200));
    const count = receiver.received.length;
    const params = { id: webhook.id };
    const enabled = await admin.call<WebhookEndpoint>(changeWebhook, {
      params,
      body: { isActive: true },
    });
    expect(enabled.body).toMatchObject({ isActive: true, failingSince: null });
    await newAgent();
    await newest(webhook, 'delivered');
    expect(receiver.received).toHaveLength(count + 1);
  });

  it('whose webhook is enabled gets nothing from before, also while the log lags behind', async () => {
    await using receiver = await startReceiver();
    const webhook = await webhookTo(receiver.url);
    const params = { id: webhook.id };
    const setActive = async (isActive: boolean) =>
      expect((await admin.call(changeWebhook, { params, body: { isActive } })).status).toBe(200);
    const { id: other } = await anotherWebhook(receiver.url);
    await setActive(false);
    await newAgent();
    await expect.poll(async () => (await recordedOf('AgentCreated')).length).toBe(1);
    await using lagging = await holdAuditLog(product.config.databaseUrl);
    await setActive(true);
    // After a second page of the other webhook, one of this webhook was made as well.
    await nextPageOf(other);
    await nextPageOf(other);
    const made = 'select from operational.webhook_deliveries where webhook_id = $1';
    expect(await sql(made, [webhook.id])).toEqual([]);
    await lagging.release();
    await newAgent();
    await newest(webhook, 'delivered');
    expect(receiver.received).toHaveLength(1);
  });

  it('that fails fifty deliveries in a row disables its webhook', async () => {
    await using receiver = await startReceiver(answering(500));
    const webhook = await webhookTo(receiver.url);
    await newAgent();
    await newest(webhook, 'failed');
    await sql('update operational.webhooks set given_up = 49 where webhook_id = $1', [webhook.id]);
    await newAgent();
    await expect.poll(async () => (await found(webhook))?.disabledReason).toBe('failing');
  });
});

describe('a delivery', () => {
  it('is resent on request, under the same id', async () => {
    await using receiver = await startReceiver();
    const webhook = await webhookTo(receiver.url);
    await newAgent();
    const { id } = await newest(webhook, 'delivered');
    const again = await admin.call<WebhookDelivery>(redeliverWebhook, { params: { id } });
    expect([again.status, again.body.state]).toEqual([202, 'waiting']);
    await expect.poll(() => receiver.received.map((each) => each.id)).toEqual([id, id]);
    const { body } = await admin.call<WebhookDelivery[]>(listDeliveries, {
      params: { id: webhook.id },
      query: { state: 'failed' },
    });
    expect(body).toEqual([]);
  });

  it('that was being sent when the process died is sent again, and is made once, also after repeated reads of the log', async () => {
    await using receiver = await startReceiver();
    const cut = await webhookTo(receiver.url);
    await newAgent();
    const { id } = await newest(cut, 'delivered');
    const ofCut = admin;
    await using reader = await startReceiver();
    const read = await webhookTo(reader.url);
    await newAgent();
    await newest(read, 'delivered');
    await product.restart(async () => {
      // Sent, and not yet noted.
      await sql(
        `update operational.webhook_deliveries set state = 'sending', ended_at = null
         where delivery_id = $1`,
        [id],
      );
      await sql('update operational.webhooks set sequence = null where webhook_id = $1', [read.id]);
    });
    await newAgent();
    await expect.poll(() => reader.received.length).toBe(2);
    expect(await deliveries(read)).toHaveLength(2);
    // Under the same id.
    await expect.poll(() => receiver.received.map((each) => each.id)).toEqual([id, id]);
    admin = ofCut;
    await newest(cut, 'delivered');
  });
});

describe('an address', () => {
  const full = 'Address must be a full http or https address of at most 2000 characters';
  const refused = [
    ['http://10.0.0.1/hook', '10.0.0.1 leads to a private address.'],
    ['http://169.254.169.254/', '169.254.169.254 leads to a private address.'],
    ['http://[::1]:9/', '::1 leads to a private address.'],
    ['http://2130706433:9999/', 'The host must be a plain name or address.'],
    ['https://name:password@example.com/', 'The address must not contain a user name or password.'],
    ['ftp://example.com/', full],
    ['/hook', full],
  ] as const;

  it('that must not be called is refused, and so is our own', async () => {
    ({ client: admin } = await registerOrganization(product.url));
    const make = (url: string) =>
      admin.call<Problem>(createWebhook, { body: { url, events: ['*'] } });
    for (const [url, message] of refused) {
      const { status, body } = await make(url);
      expect([url, status, body.errors]).toEqual([url, 422, [{ path: 'url', message }]]);
    }
    expect((await make('http://127.0.0.1/api/agents')).status).toBe(422);
  });
});

describe('the making of deliveries', () => {
  it('ends with its process, also while more is wanted', async () => {
    await using internal = await startInternalSide(product);
    const { kit, url } = internal.opened;
    const making = await makeDeliveries(kit, url);
    const organizationId = crypto.randomUUID();
    const changes = [{ organizationId, features: ['audit-log'] }];
    const payload = JSON.stringify({ position: '', changes });
    const holder = new pg.Client({ connectionString: product.config.databaseUrl });
    await holder.connect();
    const heard: string[] = [];
    holder.on('notification', (notification) => heard.push(notification.payload ?? ''));
    await holder.query(`listen ${READ_MODELS_CHANNEL}`);
    await holder.query('begin');
    await holder.query('lock table operational.webhooks');
    const tell = () => kit.pool.query('select pg_notify($1, $2)', [READ_MODELS_CHANNEL, payload]);
    await tell();
    const waiting = `select from pg_stat_activity where wait_event_type = 'Lock' and datname =
      current_database() and query like '%from operational.webhooks%'`;
    await expect.poll(async () => (await sql(waiting)).length).toBeGreaterThan(0);
    await tell();
    const ended = making[Symbol.asyncDispose]();
    await holder.query('commit');
    await expect.poll(() => heard.filter((each) => each === payload).length).toBe(2);
    await ended;
    await holder.end();
  });
});
