import { openKit } from '@tallyhand/command-service/app/open-kit';
import { signLog } from '@tallyhand/command-service/features/audit/audit-checkpoints';
import { createAgent } from '@tallyhand/contracts/features/agents/agents.endpoints';
import {
  type AuditEntry,
  listAuditEntries,
  listRecordedEvents,
  type RecordedEvent,
} from '@tallyhand/contracts/features/audit/audit.endpoints';
import {
  endLogStream,
  getLogStream,
  type LogStreaming,
  type NewLogStream,
  setLogStream,
} from '@tallyhand/contracts/features/audit/log-stream.endpoints';
import { erasePerson } from '@tallyhand/contracts/features/identity/account.endpoints';
import {
  listNotifications,
  type Notification,
} from '@tallyhand/contracts/features/notifications/notifications.endpoints';
import type { Problem } from '@tallyhand/contracts/kernel/problem';
import { checkpointIn } from '@tallyhand/service-kit/audit-bundle/checkpoint';
import {
  type ApiClient,
  agentInput,
  registerOrganization,
  testPassword,
} from '@tallyhand/test-kit/api-client';
import { certificateAuthority } from '@tallyhand/test-kit/certificates';
import { localServer } from '@tallyhand/test-kit/http-server';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { type OwnProduct, startTestProduct } from '../testing/product.ts';
import { answering, isSignedBy, startReceiver } from '../testing/receiver.ts';
import { startSyslog } from '../testing/syslog-receiver.ts';

const times = {
  lookMs: 20,
  retryMs: 20,
  retryMsMax: 50,
  answerMs: 60_000,
  /** Admins are told at once. */
  failingMs: 0,
};

const stack = new AsyncDisposableStack();
let product: OwnProduct;
beforeAll(async () => {
  const settings = { allowPrivateHosts: '127.0.0.1,localhost', logStreamTimes: times };
  product = stack.use(await startTestProduct(settings));
});
afterAll(() => stack.disposeAsync());

type Sent = {
  readonly class_uid: number;
  readonly activity_id: number;
  readonly type_uid: number;
  readonly category_uid: number;
  readonly severity_id: number;
  readonly time: number;
  readonly actor: { readonly user?: { readonly uid: string; readonly name?: string } };
  readonly metadata: {
    readonly uid: string;
    readonly event_code: string;
    readonly sequence: number;
    readonly tenant_uid: string;
  };
  readonly unmapped: { readonly leaf?: string; readonly checkpoint?: unknown };
};

const NO_CERTIFICATE = '-----BEGIN CERTIFICATE-----\nAAAA\n-----END CERTIFICATE-----';
const CHECKPOINT = 'AuditCheckpointSigned';
const isEntry = ({ metadata }: Sent) => metadata.event_code !== CHECKPOINT;
const numbers = (records: readonly Sent[]) =>
  records.filter(isEntry).map(({ metadata }) => metadata.sequence);

const set = (client: ApiClient, body: object) =>
  client.call<NewLogStream & Problem>(setLogStream, { body });
const streaming = async (client: ApiClient) => (await client.call<LogStreaming>(getLogStream)).body;
const entriesOf = async (client: ApiClient) => (await streaming(client)).entries;
/** Waits until everything has been accepted; returns the length of the log at that time. */
async function caughtUp(client: ApiClient): Promise<number> {
  let length = 0;
  await expect
    .poll(async () => {
      const { stream, entries } = await streaming(client);
      length = entries;
      return entries - (stream?.delivered ?? 0);
    })
    .toBe(0);
  return length;
}

/** All of a log that had this length before, and no more than it has now, in order from the first. */
async function expectWhole(client: ApiClient, found: readonly number[], length: number) {
  expect(found).toEqual(found.map((_, index) => index + 1));
  await expectLength(client, found.length, length);
}

/** The log may have grown after its length was read. */
async function expectLength(client: ApiClient, found: number, length: number) {
  expect(found).toBeGreaterThanOrEqual(length);
  expect(found).toBeLessThanOrEqual(await entriesOf(client));
}

describe('a stream of the audit log to a webhook', () => {
  it('has each entry as OCSF, in order and signed, with the checkpoints that bind them', async () => {
    await using receiver = await startReceiver();
    const { client, user } = await registerOrganization(product.url);
    const made = await set(client, { kind: 'webhook', address: receiver.url, from: 1 });
    expect(made).toMatchObject({
      status: 200,
      body: { kind: 'webhook', address: new URL(receiver.url).origin, delivered: 0 },
    });
    await client.call(createAgent, { body: agentInput });
    const length = await caughtUp(client);
    await using opened = await openKit(product.config);
    await signLog(opened.kit, user.organization.id);
    const sent = () => receiver.received.flatMap(({ text }) => JSON.parse(text) as Sent[]);
    await expect.poll(() => sent().some((record) => !isEntry(record))).toBe(true);
    await expectWhole(client, numbers(sent()), length);
    expect(receiver.received.every((one) => isSignedBy(made.body.secret ?? '', one))).toBe(true);

    const entries = (await client.call<AuditEntry[]>(listAuditEntries)).body.toReversed();
    await caughtUp(client);
    const sentIds = sent()
      .filter(isEntry)
      .map(({ metadata }) => metadata.uid);
    expect(sentIds.slice(0, entries.length)).toEqual(entries.map(({ id }) => id));
    await expectLength(client, sentIds.length, entries.length);
    for (const record of sent()) {
      expect(record.type_uid).toBe(record.class_uid * 100 + record.activity_id);
      expect(record.metadata.tenant_uid).toBe(user.organization.id);
    }
    const created = sent().find(({ metadata }) => metadata.event_code === 'AgentCreated');
    expect(created).toMatchObject({
      class_uid: 3004,
      activity_id: 1,
      actor: { user: { uid: user.id, name: user.username, email_addr: user.email } },
      entity: { type: 'agent', name: agentInput.name },
    });
    const bound = sent().find((record) => !isEntry(record));
    const signed = bound?.unmapped.checkpoint as Parameters<typeof checkpointIn>[0];
    expect(checkpointIn(signed)).toMatchObject({
      organizationId: user.organization.id,
      size: bound?.metadata.sequence,
    });
    expect(JSON.stringify(sent())).not.toContain(made.body.secret);
  });

  it('continues after a failure from where it stopped, and shows what failed', async () => {
    await using receiver = await startReceiver(answering(503));
    const { client } = await registerOrganization(product.url);
    await set(client, { kind: 'webhook', address: receiver.url, from: 1 });
    await expect
      .poll(async () => (await streaming(client)).stream)
      .toMatchObject({
        delivered: 0,
        failure: 'It answered 503.',
        failingSince: expect.any(String),
        nextAttemptAt: expect.any(String),
      });
    receiver.answerWith((response, count) => {
      response.writeHead(count % 2 === 0 ? 500 : 204).end();
    });
    await client.call(createAgent, { body: agentInput });
    const length = await caughtUp(client);
    const sent = receiver.received.flatMap(({ text }) => JSON.parse(text) as Sent[]);
    await expectWhole(client, [...new Set(numbers(sent))], length);
    const told = sent.filter(({ metadata }) => metadata.event_code === 'LogStreamFailing');
    expect(new Set(told.map(({ metadata }) => metadata.uid)).size).toBeGreaterThan(0);
    const noted = await client.call<Notification[]>(listNotifications);
    expect(noted.body[0]).toMatchObject({
      kind: 'log-stream-failing',
      params: { receiver: new URL(receiver.url).origin },
    });
    expect((await streaming(client)).stream).toMatchObject({ failure: null, failingSince: null });
  });

  it('begins with the next entry, continues at another receiver, and ends', async () => {
    await using receiver = await startReceiver();
    await using other = await startReceiver();
    const { client, user } = await registerOrganization(product.url);
    const before = await entriesOf(client);
    const first = await set(client, { kind: 'webhook', address: receiver.url });
    await caughtUp(client);
    const [begun = 0] = numbers(JSON.parse(receiver.received[0]?.text ?? '[]') as Sent[]);
    expect(begun).toBeGreaterThan(1);
    expect(begun).toBeLessThanOrEqual(before + 1);

    const second = await set(client, { kind: 'webhook', address: other.url });
    expect(second.body.secret).not.toBe(first.body.secret);
    const sentLater = () => other.received.flatMap(({ text }) => JSON.parse(text) as Sent[]);
    await caughtUp(client);
    const sentFirst = receiver.received.flatMap(({ text }) => JSON.parse(text) as Sent[]);
    expect(numbers(sentLater())[0]).toBe((numbers(sentFirst).at(-1) ?? 0) + 1);
    expect(other.received.every((one) => isSignedBy(second.body.secret ?? '', one))).toBe(true);

    expect((await client.call(endLogStream)).status).toBe(204);
    expect((await client.call(endLogStream)).status).toBe(204);
    expect((await streaming(client)).stream).toBeNull();
    const query = { kind: 'LogStreamEnded' };
    const { body } = await client.call<RecordedEvent[]>(listRecordedEvents, { query });
    expect(body).toHaveLength(1);
    const kept = other.received.length;
    await client.call(createAgent, { body: agentInput });
    // Another organization's stream is served meanwhile.
    const { client: stranger, user: them } = await registerOrganization(product.url);
    await set(stranger, { kind: 'webhook', address: receiver.url, from: 1 });
    await caughtUp(stranger);
    expect(other.received).toHaveLength(kept);
    const tenants = receiver.received.flatMap(({ text }) =>
      (JSON.parse(text) as Sent[]).map(({ metadata }) => metadata.tenant_uid),
    );
    expect(new Set(tenants)).toEqual(new Set([user.organization.id, them.organization.id]));
  });
});

describe('a receiver that fails in the middle', () => {
  it('gets what it may have received again, under another id than what follows', async () => {
    await using receiver = await startReceiver((response) => void response.destroy());
    const { client } = await registerOrganization(product.url);
    await set(client, { kind: 'webhook', address: receiver.url, from: 1 });
    await expect.poll(() => receiver.received.length).toBeGreaterThan(0);
    await client.call(createAgent, { body: agentInput });
    await expect
      .poll(() => new Set(receiver.received.map(({ text }) => text)).size)
      .toBeGreaterThan(1);
    receiver.answerWith(answering(204));
    const length = await caughtUp(client);
    // A receiver that ignores ids that it knows still has everything.
    const known = new Map(receiver.received.toReversed().map((one) => [one.id, one.text]));
    const kept = [...known.values()].flatMap((text) => JSON.parse(text) as Sent[]);
    await expectWhole(
      client,
      [...new Set(numbers(kept))].toSorted((a, b) => a - b),
      length,
    );
  });

  it('gets smaller batches once one was too large, also later', async () => {
    await using receiver = await startReceiver((response) => {
      const last = receiver.received.at(-1)?.text ?? '[]';
      const isTooLarge = (JSON.parse(last) as Sent[]).filter(isEntry).length > 2;
      response.writeHead(isTooLarge ? 413 : 204).end();
    });
    const { client } = await registerOrganization(product.url);
    for (let n = 0; n < 5; n += 1) await client.call(createAgent, { body: agentInput });
    await set(client, { kind: 'webhook', address: receiver.url, from: 1 });
    const length = await caughtUp(client);
    const sizes = receiver.received.map(
      ({ text }) => (JSON.parse(text) as Sent[]).filter(isEntry).length,
    );
    expect(sizes[0]).toBeGreaterThan(2);
    const accepted = sizes.filter((size) => size <= 2);
    const sum = accepted.reduce((total, size) => total + size, 0);
    await expectLength(client, sum, length);
    expect((await streaming(client)).stream).toMatchObject({ failure: null });
  });
});

describe('the stream of an organization that closes', () => {
  it('sends what is left, and ends', async () => {
    await using receiver = await startReceiver();
    const { client, user } = await registerOrganization(product.url);
    await set(client, { kind: 'webhook', address: receiver.url, from: 1 });
    const erased = await client.call(erasePerson, { body: { password: testPassword } });
    expect(erased.status).toBeLessThan(300);
    const sent = () =>
      receiver.received.flatMap(({ text }) =>
        (JSON.parse(text) as Sent[]).map(({ metadata }) => metadata.event_code),
      );
    await expect.poll(sent).toEqual(expect.arrayContaining(['OrganizationClosed', 'PersonErased']));
    await using opened = await openKit(product.config);
    const ends = async () => {
      const { rows } = await opened.kit.pool.query<{ ends_at: Date | null }>(
        'select ends_at from operational.log_streams where organization_id = $1',
        [user.organization.id],
      );
      return rows[0]?.ends_at?.getTime() ?? 0;
    };
    await expect.poll(ends).toBeGreaterThan(Date.now());
  });
});

describe('a stream to Splunk', () => {
  it('is what its HTTP Event Collector takes, with the token', async () => {
    await using splunk = await localServer((_, response) =>
      response.writeHead(200).end(JSON.stringify({ text: 'Success', code: 0 })),
    );
    const { origin: address, requests } = splunk;
    const { client } = await registerOrganization(product.url);
    const made = await set(client, { kind: 'splunk', address, token: 'b2c4-token', from: 1 });
    expect(made.body).toMatchObject({ address, secret: null });
    const length = await caughtUp(client);
    expect(requests[0]).toMatchObject({
      method: 'POST',
      url: '/services/collector/event',
      headers: { authorization: 'Splunk b2c4-token' },
    });
    const events = requests.flatMap(({ body }) =>
      body.split('\n').map((line) => JSON.parse(line) as { time: number; event: Sent }),
    );
    await expectWhole(client, numbers(events.map(({ event }) => event)), length);
    expect(events.every(({ time, event }) => time * 1000 === event.time)).toBe(true);
    expect(JSON.stringify(await streaming(client))).not.toContain('b2c4-token');
  });
});

describe('a stream to syslog', () => {
  it('is RFC 5424 over TLS, with a certificate that the given authority has signed', async () => {
    using authority = certificateAuthority();
    await using syslog = await startSyslog(authority.issue('DNS:localhost'));
    const { client } = await registerOrganization(product.url);
    const body = { kind: 'syslog', address: syslog.address, from: 1 };
    await set(client, body);
    await expect
      .poll(async () => (await streaming(client)).stream?.failure)
      .toBe('No secure connection to localhost could be made.');
    expect(syslog.messages).toEqual([]);
    await using another = await startSyslog(authority.issue('DNS:logs.example.com'));
    const certificate = { certificateAuthority: authority.cert };
    await set(client, { ...body, ...certificate, address: another.address });
    await expect
      .poll(async () => (await streaming(client)).stream?.failure)
      .toBe('No secure connection to localhost could be made.');
    expect(another.messages).toEqual([]);

    await set(client, { ...body, certificateAuthority: authority.cert });
    await client.call(createAgent, { body: { ...agentInput, name: 'Übersetzer 日本' } });
    const length = await caughtUp(client);
    const form =
      /^<(\d+)>1 (\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d\.\d{3}Z) (\S+) tallyhand - (\S{1,32}) - (\{.*\})$/;
    const parts = syslog.messages.map((message) => form.exec(message) ?? expect.fail(message));
    for (const [, priority, , , type] of parts) {
      expect(priority).toBe(type === 'LogStreamFailing' ? '108' : '110');
    }
    const records = parts.map(([, , , , , json = '']) => JSON.parse(json) as Sent);
    await expectWhole(client, [...new Set(numbers(records))], length);
    expect(records.find(({ metadata }) => metadata.event_code === 'AgentCreated')).toMatchObject({
      entity: { name: 'Übersetzer 日本' },
    });
  });

  it('sends again what a receiver that broke off may not have read', async () => {
    using authority = certificateAuthority();
    await using syslog = await startSyslog(authority.issue('DNS:localhost'));
    syslog.breaksOff(true);
    const { client } = await registerOrganization(product.url);
    const certificate = { certificateAuthority: authority.cert };
    await set(client, { kind: 'syslog', address: syslog.address, from: 1, ...certificate });
    await expect
      .poll(async () => (await streaming(client)).stream?.failure)
      .toContain('closed the connection');
    syslog.breaksOff(false);
    const length = await caughtUp(client);
    expect(syslog.messages.length).toBeGreaterThanOrEqual(length);
  });
});

/** Each with the field that is at fault. */
const FAULTY: readonly (readonly [path: string, body: object])[] = [
  ['kind', { kind: 'kafka', address: 'https://example.com' }],
  ['address', { kind: 'webhook', address: 'tls://example.com' }],
  ['address', { kind: 'syslog', address: 'https://example.com' }],
  ['address', { kind: 'syslog', address: 'tls://example.com:6514/path' }],
  ['address', { kind: 'webhook', address: 'https://user:secret@example.com' }],
  ['address', { kind: 'webhook', address: 'http://169.254.169.254/latest' }],
  ['address', { kind: 'syslog', address: 'tls://10.0.0.1:6514' }],
  ['address', { kind: 'syslog', address: 'tls:' }],
  ['address', { kind: 'splunk', address: 'http://example.com', token: 'x' }],
  ['token', { kind: 'splunk', address: 'https://example.com' }],
  ['token', { kind: 'webhook', address: 'https://example.com', token: 'x' }],
  [
    'certificateAuthority',
    { kind: 'syslog', address: 'tls://example.com', certificateAuthority: 'x' },
  ],
  [
    'certificateAuthority',
    { kind: 'syslog', address: 'tls://example.com', certificateAuthority: NO_CERTIFICATE },
  ],
  ['from', { kind: 'webhook', address: 'https://example.com', from: 0 }],
];

describe('a receiver of the log', () => {
  it('is refused, and the field that is at fault is named', async () => {
    const { client } = await registerOrganization(product.url);
    for (const [path, body] of FAULTY) {
      const { status, body: refused } = await client.call<Problem>(setLogStream, { body });
      const paths = refused.errors?.map((error) => error.path);
      expect([body, status, paths]).toEqual([body, 422, [path]]);
    }
    expect((await streaming(client)).stream).toBeNull();
  });
});
