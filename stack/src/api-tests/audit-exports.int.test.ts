import { mkdtemp, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { openKit } from '@tallyhand/command-service/app/open-kit';
import {
  signGrownLogs,
  signLog,
} from '@tallyhand/command-service/features/audit/audit-checkpoints';
import { changeAgent } from '@tallyhand/contracts/features/agents/agents.endpoints';
import {
  type AuditEntry,
  listAuditEntries,
} from '@tallyhand/contracts/features/audit/audit.endpoints';
import {
  type AuditExport,
  type AuditKey,
  downloadAuditExport,
  getAuditExport,
  listAuditExports,
  listAuditKeys,
  startAuditExport,
} from '@tallyhand/contracts/features/audit/audit-exports.endpoints';
import { executeTask } from '@tallyhand/contracts/features/tasks/tasks.endpoints';
import { pathOf } from '@tallyhand/contracts/kernel/endpoint';
import type { Problem } from '@tallyhand/contracts/kernel/problem';
import { readPublicKey } from '@tallyhand/service-kit/audit-bundle/public-key';
import { verifyBundle } from '@tallyhand/service-kit/audit-bundle/verify';
import {
  type ApiClient,
  agentWithArticle,
  cookieOf,
  registerOrganization,
} from '@tallyhand/test-kit/api-client';
import pg from 'pg';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { membersOfEachRole } from '../testing/members.ts';
import { sharedProduct, type TestProduct } from '../testing/product.ts';

let product: TestProduct;
let folder: string;
/** For tests that need no log of their own. */
let busy: Awaited<ReturnType<typeof busyOrganization>>;
beforeAll(async () => {
  product = await sharedProduct();
  folder = await mkdtemp(join(tmpdir(), 'tallyhand-export-'));
  busy = await busyOrganization();
});
afterAll(async () => {
  await rm(folder, { recursive: true });
});

type Wanted = { format?: string; filter?: Record<string, string>; upTo?: number };

async function finished(client: ApiClient, wanted: Wanted = {}): Promise<AuditExport> {
  const body = { format: 'ndjson', ...wanted };
  const started = await client.call<AuditExport>(startAuditExport, { body });
  expect(started.status, JSON.stringify(started.body)).toBe(202);
  const { id } = started.body;
  expect(started.headers.get('location')).toBe(`/api/audit/exports/${id}`);
  const now = async () => (await client.call<AuditExport>(getAuditExport, { params: { id } })).body;
  await expect.poll(async () => (await now()).status).toBe('finished');
  return now();
}

async function download(client: ApiClient, id: string, headers: Record<string, string> = {}) {
  const cookie = cookieOf(client);
  const path = pathOf(downloadAuditExport, { id });
  const answer = await fetch(`${product.url}${path}`, { headers: { cookie, ...headers } });
  return { answer, bytes: Buffer.from(await answer.arrayBuffer()) };
}

async function verified(client: ApiClient, bytes: Buffer) {
  const [key] = (await client.call<AuditKey[]>(listAuditKeys)).body;
  const file = join(folder, 'export.zip');
  await writeFile(file, bytes);
  return verifyBundle(file, readPublicKey(key?.pem ?? ''));
}

/** An organization with an agent that has answered once. */
async function busyOrganization() {
  const { client, user } = await registerOrganization(product.url);
  const { agent } = await agentWithArticle(client);
  const params = { id: agent.id };
  await client.call(executeTask, { params, body: { input: 'How long do returns take?' } });
  return { client, user, agent };
}

describe('an export of the audit log', () => {
  it.each(['ndjson', 'csv'])('as %s is verified with the public key alone', async (format) => {
    const { client } = busy;
    const made = await finished(client, { format });
    expect(made).toMatchObject({ format, filter: {}, done: made.upTo, rows: made.upTo });
    const { answer, bytes } = await download(client, made.id);
    expect(answer.status).toBe(200);
    expect(answer.headers.get('content-type')).toBe('application/zip');
    expect(bytes).toHaveLength(made.bytes ?? 0);
    expect(await verified(client, bytes)).toMatchObject({
      isWell: true,
      lines: expect.arrayContaining([
        expect.stringMatching(/^Personal texts: [1-9]\d* plain texts are what was encrypted\b/),
      ]),
    });
    const other = Buffer.from(bytes);
    const at = other.indexOf('"TaskSucceeded"'.slice(1, -1));
    other.write('TaskFailed___', at);
    expect(await verified(client, other)).toMatchObject({ isWell: false });
  });

  it('contains the entries that match a filter, and proves that they are in the whole log', async () => {
    const { client, agent } = busy;
    const filter = { kind: 'agent', object: agent.id };
    const made = await finished(client, { filter });
    expect(made).toMatchObject({ filter, rows: 2 });
    const { bytes } = await download(client, made.id);
    expect(await verified(client, bytes)).toMatchObject({ isWell: true });
    expect(bytes.includes('AgentCreated')).toBe(true);
    expect(bytes.includes('TaskSucceeded')).toBe(false);
    const none = await finished(client, { filter: { q: 'nothing has this word' } });
    expect(none.rows).toBe(0);
    expect(await verified(client, (await download(client, none.id)).bytes)).toMatchObject({
      isWell: true,
    });
  });

  it('is identical when it is made again, whatever was added later', async () => {
    const { client, user, agent } = await busyOrganization();
    await using opened = await openKit(product.config);
    const sign = async () => {
      // Until all of it is in the log, which may be another process's work.
      await client.call(listAuditEntries);
      await signLog(opened.kit, user.organization.id);
    };
    await sign();
    const params = { id: agent.id };
    await client.call(changeAgent, { params, body: { name: 'Renamed' } });
    const first = await finished(client);
    await client.call(changeAgent, { params, body: { name: 'Renamed again' } });
    await sign();
    const again = await finished(client, { upTo: first.upTo });
    const [one, other] = [await download(client, first.id), await download(client, again.id)];
    expect(other.bytes.equals(one.bytes)).toBe(true);
    expect(one.bytes.includes('"consistencyProof"')).toBe(true);
    expect(await verified(client, one.bytes)).toMatchObject({ isWell: true });
  });

  it('resumes an interrupted download', async () => {
    const { client } = busy;
    const { id, bytes: length } = await finished(client);
    const whole = await download(client, id);
    const half = Math.floor((length ?? 0) / 2);
    const ifRange = { 'if-range': whole.answer.headers.get('etag') ?? '' };
    const rest = await download(client, id, { range: `bytes=${half}-`, ...ifRange });
    expect(rest.answer.status).toBe(206);
    expect(rest.answer.headers.get('content-range')).toBe(
      `bytes ${half}-${(length ?? 0) - 1}/${length}`,
    );
    expect(rest.bytes.equals(whole.bytes.subarray(half))).toBe(true);
    const beyond = await download(client, id, { range: `bytes=${length}-` });
    expect([beyond.answer.status, beyond.bytes.length]).toEqual([416, 0]);
  });

  it('is in the log itself, and in the list of exports, once for a call that is repeated', async () => {
    const { client, user } = await busyOrganization();
    const { id, upTo } = await finished(client, { format: 'csv', filter: { kind: 'task' } });
    const query = { kind: 'AuditLogExported' };
    const { body: entries } = await client.call<AuditEntry[]>(listAuditEntries, { query });
    expect(entries).toMatchObject([{ actor: { id: user.id } }]);
    expect(entries[0]?.sequence).toBeGreaterThan(upTo);
    const { body: exports } = await client.call<AuditExport[]>(listAuditExports);
    expect(exports).toMatchObject([{ id, requestedBy: { id: user.id, name: user.username } }]);
    const headers = { 'idempotency-key': crypto.randomUUID() };
    const start = () =>
      client.call<AuditExport>(startAuditExport, { body: { format: 'csv' }, headers });
    const [one, other] = [await start(), await start()];
    expect(other.body.id).toBe(one.body.id);
    expect((await client.call<AuditExport[]>(listAuditExports)).body).toHaveLength(2);
  });

  it('is for Admins and Auditors of the organization', async () => {
    const { client } = busy;
    const { id } = await finished(client);
    const stranger = await registerOrganization(product.url);
    expect((await download(stranger.client, id)).answer.status).toBe(404);
    const members = await membersOfEachRole(client, product.url);
    for (const [role, member] of members) {
      const allowed = role === 'Admin' || role === 'Auditor';
      expect([role, (await download(member, id)).answer.status]).toEqual([
        role,
        allowed ? 200 : 403,
      ]);
    }
  });

  it('is refused for what does not exist, which is named', async () => {
    const { client } = await registerOrganization(product.url);
    const cases: readonly (readonly [wanted: object, path: string])[] = [
      [{ format: 'pdf' }, 'format'],
      [{ upTo: 1_000_000 }, 'upTo'],
      [{ upTo: 0 }, 'upTo'],
      [{ filter: { kind: 'nothing' } }, 'filter.kind'],
      [{ filter: { from: 'yesterday' } }, 'filter.from'],
      [{ filter: { color: 'blue' } }, 'filter.color'],
    ];
    for (const [wanted, path] of cases) {
      const body = { format: 'ndjson', ...wanted };
      const answer = await client.call<Problem>(startAuditExport, { body });
      const fault = answer.body.errors?.[0]?.path;
      expect([wanted, answer.status, fault]).toEqual([wanted, 422, path]);
    }
  });
});

describe('a log that has grown', () => {
  const times = { everyMs: 20, unsignedMs: 0 };
  let admin: pg.Client;
  beforeAll(async () => {
    admin = new pg.Client({ connectionString: product.config.databaseUrl });
    await admin.connect();
  });
  afterAll(() => admin.end());

  /** How often it is noted as unsigned, and the size at which it was signed last. */
  async function stateOf(organizationId: string) {
    const { rows } = await admin.query<{ noted: number; size: number | null }>(
      `select (select count(unsigned_since)::int from operational.audit_trees
         where organization_id = $1) as noted, (select max(size)::int from operational.audit_checkpoints
         where organization_id = $1) as size`,
      [organizationId],
    );
    return rows[0];
  }

  it('is signed unchanged, and then no longer queued', async () => {
    const { client, user } = await busyOrganization();
    const { id } = user.organization;
    await expect.poll(async () => (await stateOf(id))?.noted).toBe(1);
    const [newest] = (await client.call<AuditEntry[]>(listAuditEntries)).body;
    await using opened = await openKit(product.config);
    await using _signing = signGrownLogs(opened.kit, times);
    await expect.poll(() => stateOf(id)).toEqual({ noted: 0, size: newest?.sequence });
  });

  it('is queued until it is signed, whichever process dies meanwhile', async () => {
    const { user } = await busyOrganization();
    const { id } = user.organization;
    await expect.poll(async () => (await stateOf(id))?.noted).toBe(1);
    await using opened = await openKit(product.config);
    await admin.query('begin; lock table operational.audit_checkpoints in exclusive mode');
    await using _signing = signGrownLogs(opened.kit, times);
    const waiting = async () =>
      (
        await admin.query(`select from pg_locks where not granted
          and relation = 'operational.audit_checkpoints'::regclass
          and database = (select oid from pg_database where datname = current_database())`)
      ).rowCount;
    await expect.poll(waiting).toBe(1);
    const meanwhile = await stateOf(id);
    await admin.query('commit');
    expect(meanwhile).toEqual({ noted: 1, size: null });
    await expect.poll(async () => (await stateOf(id))?.noted).toBe(0);
    expect((await stateOf(id))?.size).toBeGreaterThan(0);
  });
});
