import { mkdtemp, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { type OpenedKit, openKit } from '@tallyhand/command-service/app/open-kit';
import { publishCheckpoints } from '@tallyhand/command-service/features/audit/publish-checkpoints';
import { createAgent } from '@tallyhand/contracts/features/agents/agents.endpoints';
import {
  listRecordedEvents,
  type RecordedEvent,
} from '@tallyhand/contracts/features/audit/audit.endpoints';
import type { CheckpointPublished } from '@tallyhand/contracts/features/audit/audit.events';
import { AuditCheckpoint } from '@tallyhand/contracts/features/audit/audit-exports.endpoints';
import {
  type AuditPublishing,
  changeAuditPublishing,
  getAuditPublishing,
} from '@tallyhand/contracts/features/audit/audit-publishing.endpoints';
import { removeMember } from '@tallyhand/contracts/features/team/team.endpoints';
import {
  createWebhook,
  type NewWebhookEndpoint,
} from '@tallyhand/contracts/features/webhooks/webhooks.endpoints';
import type { Problem } from '@tallyhand/contracts/kernel/problem';
import { checkpointIn } from '@tallyhand/service-kit/audit-bundle/checkpoint';
import { readEarlierHead } from '@tallyhand/service-kit/audit-bundle/earlier-head';
import { verifyBundle } from '@tallyhand/service-kit/audit-bundle/verify';
import { type ApiClient, agentInput, registerOrganization } from '@tallyhand/test-kit/api-client';
import { type MailServer, mailThrough, startMailServer } from '@tallyhand/test-kit/mail-server';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { endAccessAt } from '../testing/auditors.ts';
import { savedExport } from '../testing/finished-export.ts';
import { joinAs } from '../testing/members.ts';
import { type OwnProduct, startTestProduct } from '../testing/product.ts';
import { startReceiver } from '../testing/receiver.ts';

const HOUR_MS = 3_600_000;

const stack = new AsyncDisposableStack();
let mail: MailServer;
let product: OwnProduct;
let opened: OpenedKit;
beforeAll(async () => {
  mail = stack.use(await startMailServer());
  const settings = { mail: mailThrough(mail), allowPrivateHosts: '127.0.0.1' };
  product = stack.use(await startTestProduct(settings));
  opened = stack.use(await openKit(product.config));
});
afterAll(() => stack.disposeAsync());

type Published = Parameters<typeof CheckpointPublished>[0];

const publishedOf = async (client: ApiClient): Promise<Published[]> => {
  const query = { kind: 'CheckpointPublished' };
  const { body } = await client.call<RecordedEvent[]>(listRecordedEvents, { query });
  return body.map(({ data }) => data as Published);
};
const change = (client: ApiClient, body: object) => client.call(changeAuditPublishing, { body });
const publishing = async (client: ApiClient) =>
  (await client.call<AuditPublishing>(getAuditPublishing)).body;

/** Publishes, as of some hours from now, until the log has as many checkpoints. */
async function publish(client: ApiClient, count: number, hours = 0): Promise<Published[]> {
  const now = () => new Date(Date.now() + hours * HOUR_MS);
  await using _publishing = publishCheckpoints(opened.kit, { everyMs: 20, now });
  await expect.poll(async () => (await publishedOf(client)).length).toBe(count);
  return publishedOf(client);
}

const mailsTo = (address: string, subject: string) =>
  mail.received.filter(({ to, text }) => to.includes(address) && text.includes(subject));

/** The attached file of JSON. */
function attachmentOf(text: string): string {
  const [, name = '', base64 = ''] =
    /filename="?(checkpoint-[\d-]+\.json)"?[\s\S]*?\r\n\r\n([A-Za-z0-9+/=\r\n]+?)\r\n--/.exec(
      text,
    ) ?? [];
  expect(name).toMatch(/^checkpoint-\d{4}-\d\d-\d\d-\d\d\.json$/);
  return Buffer.from(base64, 'base64').toString();
}

describe('publishing checkpoints', () => {
  it('sends one each period, by webhook and mail; a later export must begin with it', async () => {
    await using receiver = await startReceiver();
    const folder = await mkdtemp(join(tmpdir(), 'tallyhand-published-'));
    await using _folder = { [Symbol.asyncDispose]: () => rm(folder, { recursive: true }) };
    const { client, user } = await registerOrganization(product.url);
    const body = { url: receiver.url, events: ['CheckpointPublished'] };
    expect((await client.call<NewWebhookEndpoint>(createWebhook, { body })).status).toBe(201);
    expect(await publishing(client)).toEqual({ every: null, mailTo: [], last: null });
    const wanted = { every: 'hour', mailTo: [user.id] };
    expect(await change(client, wanted)).toMatchObject({ status: 200, body: wanted });

    const [first] = await publish(client, 1);
    const checkpoint = first && checkpointIn(first.checkpoint);
    expect(checkpoint).toMatchObject({
      organizationId: user.organization.id,
      size: first?.size,
    });
    expect(await publishing(client)).toEqual({
      ...wanted,
      last: { at: expect.any(String), size: first?.size },
    });
    await expect.poll(() => receiver.received.length).toBe(1);
    expect(receiver.received[0]?.body.data).toMatchObject({ data: first });

    const subject = `Audit checkpoint of ${user.organization.name}`;
    await expect.poll(() => mailsTo(user.email, subject).length).toBe(1);
    const attached = attachmentOf(mailsTo(user.email, subject)[0]?.text ?? '');
    const kept = AuditCheckpoint.parse(JSON.parse(attached));
    expect(kept).toEqual(first?.checkpoint);

    await client.call(createAgent, { body: agentInput });
    const { file } = await savedExport({ client, url: product.url }, folder, { since: kept });
    await writeFile(join(folder, 'kept.json'), attached);
    const since = await readEarlierHead(join(folder, 'kept.json'));
    const { isWell, lines } = await verifyBundle(file, null, { since });
    expect([isWell, lines.join()]).toEqual([true, expect.stringContaining('checkpoint')]);

    const all = await publish(client, 2, 1);
    expect(all.map(({ period }) => Date.parse(period) % HOUR_MS)).toEqual([0, 0]);
    await expect.poll(() => mailsTo(user.email, subject).length).toBe(2);
  });

  it('publishes each period once, and none after its end', async () => {
    const { client } = await registerOrganization(product.url);
    await change(client, { every: 'day' });
    await publish(client, 1);
    // As if another process had not seen it.
    await opened.kit.pool.query('update operational.checkpoint_schedules set published = null');
    const { client: other } = await registerOrganization(product.url);
    await change(other, { every: 'day' });
    await publish(other, 1);
    expect(await publishedOf(client)).toHaveLength(1);
    await change(client, { every: null });
    await publish(other, 2, 24);
    expect(await publishedOf(client)).toHaveLength(1);
    expect(await publishing(client)).toMatchObject({ every: null });
  });

  it('is not due again in a period that had its checkpoint, also when it is chosen again', async () => {
    const { client, user } = await registerOrganization(product.url);
    await change(client, { every: 'week' });
    await publish(client, 1);
    await change(client, { every: null });
    await change(client, { every: 'week' });
    const scheduled = async () => {
      const { rows } = await opened.kit.pool.query<{ published: Date | null }>(
        'select published from operational.checkpoint_schedules where organization_id = $1',
        [user.organization.id],
      );
      return rows[0]?.published?.toISOString();
    };
    await using _publishing = publishCheckpoints(opened.kit, {
      everyMs: 20,
      now: () => new Date(),
    });
    const [first] = await publishedOf(client);
    await expect.poll(scheduled).toBe(first?.period);
    expect(await publishedOf(client)).toHaveLength(1);
  });

  it('mails an Auditor up to the last day', async () => {
    const { client } = await registerOrganization(product.url);
    const { user: auditor } = await joinAs(client, product.url, 'Auditor');
    const wanted = { every: 'hour', mailTo: [auditor.id] };
    expect((await change(client, wanted)).status).toBe(200);
    await publish(client, 1);
    const subject = 'Audit checkpoint of';
    await expect.poll(() => mailsTo(auditor.email, subject).length).toBe(1);
    await endAccessAt(product.config.databaseUrl, auditor.id, new Date().toISOString());
    await publish(client, 2, 1);
    expect((await change(client, { ...wanted, every: 'day' })).status).toBe(422);
    const { client: other, user } = await registerOrganization(product.url);
    await change(other, { every: 'day', mailTo: [user.id] });
    await publish(other, 1);
    await expect.poll(() => mailsTo(user.email, subject).length).toBe(1);
    expect(mailsTo(auditor.email, subject)).toHaveLength(1);
  });

  it('mails members only, and refuses others by name', async () => {
    const { client, user } = await registerOrganization(product.url);
    const { client: other, user: stranger } = await registerOrganization(product.url);
    const refused = await change(client, { every: 'day', mailTo: [user.id, stranger.id] });
    expect(refused.status).toBe(422);
    expect((refused.body as Problem).errors).toEqual([
      { path: 'mailTo.1', message: 'No member has this id' },
    ]);
    const { user: leaving } = await joinAs(client, product.url, 'Viewer');
    expect((await change(client, { every: 'day', mailTo: [leaving.id] })).status).toBe(200);
    expect((await publishing(client)).mailTo).toEqual([leaving.id]);
    await client.call(removeMember, { params: { id: leaving.id } });
    await publish(client, 1);
    await change(other, { every: 'day', mailTo: [stranger.id] });
    await publish(other, 1);
    const subject = 'Audit checkpoint of';
    await expect.poll(() => mailsTo(stranger.email, subject).length).toBe(1);
    expect(mailsTo(leaving.email, subject)).toEqual([]);
    expect((await publishing(client)).mailTo).toEqual([]);
  });
});
