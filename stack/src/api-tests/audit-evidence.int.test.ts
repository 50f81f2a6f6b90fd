import { execFile } from 'node:child_process';
import { mkdtemp, readFile, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { promisify } from 'node:util';
import { openKit } from '@tallyhand/command-service/app/open-kit';
import { auditStream } from '@tallyhand/command-service/features/audit/audit.decider';
import { keepDifferences } from '@tallyhand/command-service/features/audit/audit-differences';
import { backgroundContext } from '@tallyhand/command-service/kit/context';
import {
  createApiKey,
  type NewApiKey,
  revokeApiKey,
} from '@tallyhand/contracts/features/api-keys/api-keys.endpoints';
import {
  type AuditEntry,
  listAuditEntries,
} from '@tallyhand/contracts/features/audit/audit.endpoints';
import { getAuditKeyHistory } from '@tallyhand/contracts/features/audit/audit-exports.endpoints';
import { downloadAuditEvidence } from '@tallyhand/contracts/features/audit/evidence.endpoints';
import { changeMember, removeMember } from '@tallyhand/contracts/features/team/team.endpoints';
import { lesserRole } from '@tallyhand/contracts/kernel/access';
import type { Problem } from '@tallyhand/contracts/kernel/problem';
import { ROLES } from '@tallyhand/contracts/kernel/role';
import type { Expected } from '@tallyhand/service-kit/audit-bundle/expectations';
import { readTrustedKeys } from '@tallyhand/service-kit/audit-bundle/trusted-keys';
import { verifyFile } from '@tallyhand/service-kit/audit-bundle/verify-file';
import { openBundle, readWhole } from '@tallyhand/service-kit/audit-bundle/zip-reader';
import { csvCells } from '@tallyhand/service-kit/csv';
import {
  type ApiClient,
  agentWithArticle,
  apiClient,
  cookieOf,
  registerOrganization,
} from '@tallyhand/test-kit/api-client';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { withClient } from '../backup/manifest.ts';
import { inDays } from '../testing/auditors.ts';
import { joinAs, newKey } from '../testing/members.ts';
import { sharedProduct, type TestProduct } from '../testing/product.ts';

const verifier = fileURLToPath(
  new URL('../../../verifier/src/audit-verify.main.ts', import.meta.url),
);
const today = inDays(0);

let product: TestProduct;
let folder: string;
let admin: ApiClient;
let organizationId: string;
beforeAll(async () => {
  product = await sharedProduct();
  folder = await mkdtemp(join(tmpdir(), 'evidence-'));
  const registered = await registerOrganization(product.url);
  admin = registered.client;
  organizationId = registered.user.organization.id;
  await joinAs(admin, product.url, 'Viewer');
  await newKey(admin, 'Editor');
  await agentWithArticle(admin);
});
afterAll(() => rm(folder, { recursive: true, force: true }));

async function packOf(client: ApiClient, from = today, to = today) {
  const query = new URLSearchParams({ from, to });
  const response = await fetch(`${product.url}${downloadAuditEvidence.path}?${query}`, {
    headers: { cookie: cookieOf(client) },
  });
  expect(response.status).toBe(200);
  expect(response.headers.get('content-type')).toBe('application/zip');
  return Buffer.from(await response.arrayBuffer());
}

async function filesIn(pack: Buffer) {
  const file = join(folder, `${crypto.randomUUID()}.zip`);
  await writeFile(file, pack);
  using bundle = await openBundle(file);
  const files: Record<string, string> = {};
  for (const name of bundle.names) {
    files[name] = String(await readWhole(bundle, name, pack.length));
  }
  return files;
}

const rowsOf = (csv = '') =>
  csv.match(/(?:"(?:[^"]|"")*"|[^"\r\n])*\r\n/g)?.map((line) => csvCells(line) ?? []) ?? [];

async function keyFile(): Promise<string> {
  const { body: keys } = await admin.call(getAuditKeyHistory);
  const file = join(folder, 'keys.json');
  await writeFile(file, JSON.stringify(keys));
  return file;
}

async function verified(pack: Buffer, expected: Expected = {}) {
  const file = join(folder, 'pack.zip');
  await writeFile(file, pack);
  const keys = readTrustedKeys(await readFile(await keyFile(), 'utf8'));
  return verifyFile(file, keys, expected).then(
    ({ lines, isWell }) => ({ isWell, out: lines.join('\n') }),
    ({ message }: Error) => ({ isWell: false, out: message }),
  );
}

describe('an evidence pack', () => {
  it('has the access, its changes, sign-ins and administration of the period', async () => {
    const files = await filesIn(await packOf(admin));
    expect(Object.keys(files)).toEqual([
      'README.txt',
      'access.csv',
      'access-changes.csv',
      'sign-ins.csv',
      'administration.csv',
      'checks.csv',
      'backups.csv',
      'index.json',
      'index.json.sig',
    ]);
    const roles = rowsOf(files['access.csv']).map((cells) => [cells[1], cells[5]]);
    expect(roles.slice(1)).toEqual([
      ['member', 'Admin'],
      ['member', 'Viewer'],
      ['api-key', 'Editor'],
    ]);
    const events = (name: string) => rowsOf(files[name]).map(([, , type]) => type);
    expect(events('access-changes.csv')).toEqual(
      expect.arrayContaining(['MemberJoined', 'InvitationIssued', 'ApiKeyCreated']),
    );
    expect(events('sign-ins.csv')).toContain('UserRegistered');
    expect(events('administration.csv')).toEqual(
      expect.arrayContaining(['AgentCreated', 'ArticleCreated']),
    );
    const { body: entries } = await admin.call<AuditEntry[]>(listAuditEntries);
    for (const name of ['access-changes.csv', 'sign-ins.csv', 'administration.csv']) {
      for (const [sequence, at, type] of rowsOf(files[name]).slice(1)) {
        const entry = entries.find((each) => each.sequence === Number(sequence));
        expect([entry?.at, entry?.type]).toEqual([at, type]);
      }
    }
  });

  it('has the checks and the backups of each day', async () => {
    const { client, user } = await registerOrganization(product.url);
    await using opened = await openKit(product.config);
    const { pool } = opened.kit;
    const { id } = user.organization;
    await keepDifferences(pool, [{ organizationId: id, first: 1, last: 2 }]);
    const differing = await packOf(client, inDays(-1));
    await keepDifferences(pool, []);
    expect(await verified(differing)).toMatchObject({
      isWell: true,
      out: expect.stringContaining('differs from its event store'),
    });
    await withClient(product.config.migrateDatabaseUrl, (owner) =>
      owner.query(
        `insert into operational.backups values ($1::timestamptz, 4711) on conflict do nothing`,
        [`${inDays(-1)}T23:59:59.999Z`],
      ),
    );
    const files = await filesIn(await packOf(client, inDays(-1)));
    const [, yesterday, last] = rowsOf(files['checks.csv']);
    expect([yesterday?.[0], last?.[0], last?.[2]]).toEqual([inDays(-1), today, '1']);
    expect(Number(last?.[1])).toBeGreaterThanOrEqual(2);
    expect(rowsOf(files['backups.csv'])).toContainEqual([`${inDays(-1)}T23:59:59.999Z`, '4711']);
    expect(rowsOf((await filesIn(await packOf(client)))['backups.csv'])).not.toContainEqual([
      `${inDays(-1)}T23:59:59.999Z`,
      '4711',
    ]);
    const index = JSON.parse(files['index.json'] ?? '{}') as { differs: boolean; ledger: unknown };
    expect(index).toMatchObject({ differs: false, ledger: null });
  });

  it('has who had access when the period ended', async () => {
    const { client } = await registerOrganization(product.url);
    const [left, promoted] = [
      await joinAs(client, product.url, 'Viewer'),
      await joinAs(client, product.url, 'Viewer'),
    ];
    const key = await newKey(client, 'Editor');
    await client.call(removeMember, { params: { id: left.user.id } });
    await client.call(changeMember, { params: { id: promoted.user.id }, body: { role: 'Editor' } });
    await client.call(revokeApiKey, { params: { id: key.id } });
    const { 'access.csv': access } = await filesIn(await packOf(client));
    const shown = rowsOf(access).slice(1);
    expect(shown.map(([, kind, , , , role]) => [kind, role])).toEqual([
      ['member', 'Admin'],
      ['member', 'Editor'],
    ]);
  });

  it('has the last use of each, and no keys of members who were removed', async () => {
    const { client, user } = await registerOrganization(product.url);
    const editor = await joinAs(client, product.url, 'Editor');
    const key = await newKey(client, 'Viewer');
    const organizationId = user.organization.id;
    const hour = `${today}T00:00:00.000Z`;
    await using opened = await openKit(product.config);
    const audits = opened.kit.streams.of(auditStream);
    // The hour after the period, whose use does not count, is recorded before one in it.
    for (const used of [`${inDays(1)}T00:00:00.000Z`, hour]) {
      const data = { organizationId, keyId: key.id, hour: used, count: 3 };
      const context = backgroundContext('worker', organizationId);
      await audits.send(organizationId, { type: 'RecordKeyUse', data }, context);
    }
    const uses = async () => {
      const { 'access.csv': access } = await filesIn(await packOf(client));
      return rowsOf(access)
        .slice(1)
        .map((cells) => [cells[1], cells[2], cells[10]]);
    };
    await expect.poll(uses).toEqual([
      ['member', user.id, expect.stringMatching(/^\d{4}-.*Z$/)],
      ['member', editor.user.id, expect.stringMatching(/^\d{4}-.*Z$/)],
      ['api-key', key.id, hour],
    ]);
  });

  it('has keys as they work: those of other keys, in the role of their member, none of removed ones', async () => {
    const { client } = await registerOrganization(product.url);
    const second = await joinAs(client, product.url, 'Admin');
    const [first, other] = [
      await newKey(second.client, 'Admin'),
      await newKey(second.client, 'Viewer'),
    ];
    const byKey = apiClient(product.url);
    const { body: made } = await byKey.call<NewApiKey>(createApiKey, {
      body: { name: 'By a key', role: 'Admin' },
      headers: { authorization: `Bearer ${first.key}` },
    });
    await client.call(revokeApiKey, { params: { id: first.id } });
    const keys = async () => {
      const { 'access.csv': access } = await filesIn(await packOf(client));
      const listed = rowsOf(access).filter(([, kind]) => kind === 'api-key');
      return listed.map((cells) => [cells[2], cells[5]]);
    };
    await expect.poll(keys).toEqual([
      [other.id, 'Viewer'],
      [made.id, 'Admin'],
    ]);
    const params = { id: second.user.id };
    await client.call(changeMember, { params, body: { role: 'Editor' } });
    await expect.poll(keys).toEqual([
      [other.id, 'Viewer'],
      [made.id, 'Editor'],
    ]);
    await client.call(removeMember, { params });
    await expect.poll(keys).toEqual([]);
  });

  it('gives a key the role that PostgreSQL gives it', async () => {
    const pairs = ROLES.flatMap((one) => ROLES.map((two) => [one, two] as const));
    await withClient(product.config.migrateDatabaseUrl, async (owner) => {
      for (const [one, two] of pairs) {
        const sql = 'select operational.lesser_role($1, $2) as role';
        const { rows } = await owner.query(sql, [one, two]);
        expect([one, two, lesserRole(one, two)]).toEqual([one, two, rows[0]?.role]);
      }
    });
  });

  it('is verified by the program for exports, and refused when a byte of any file is changed', async () => {
    const pack = await packOf(admin);
    const file = join(folder, 'whole.zip');
    await writeFile(file, pack);
    const values = [verifier, file, '--key', await keyFile(), '--organization', organizationId];
    const { stdout } = await promisify(execFile)(process.execPath, values);
    expect(stdout).toContain('is unchanged.');
    expect(await verified(pack)).toMatchObject({ isWell: true });
    for (const text of [
      'Evidence pack',
      'member,',
      'MemberJoined',
      'UserRegistered',
      'AgentCreated',
      '"size": ',
      '"keyId":"',
    ]) {
      const changed = Buffer.from(pack);
      const at = changed.indexOf(text);
      expect(at).toBeGreaterThan(0);
      changed[at + text.length - 1] = (changed[at + text.length - 1] ?? 0) ^ 1;
      expect(await verified(changed), text).toMatchObject({ isWell: false });
    }
    const other = await verified(pack, { organizationId: crypto.randomUUID() });
    expect(other).toMatchObject({ isWell: false, out: expect.stringContaining('not of') });
    const compared = await verified(pack, { atLeast: 1 });
    expect(compared).toMatchObject({
      isWell: false,
      out: expect.stringContaining('only with a key'),
    });
  });

  it('shows another organization nothing, and an earlier period none of its entries', async () => {
    const stranger = await registerOrganization(product.url);
    const pack = (await packOf(stranger.client)).toString();
    expect(pack).not.toContain(organizationId);
    const earlier = await filesIn(await packOf(admin, inDays(-9), inDays(-3)));
    for (const name of ['access.csv', 'access-changes.csv', 'sign-ins.csv', 'administration.csv']) {
      expect(rowsOf(earlier[name])).toHaveLength(1);
    }
  });

  it('is given to Auditors, who leave an entry, and refused to Members', async () => {
    const { client } = await registerOrganization(product.url);
    const auditor = await joinAs(client, product.url, 'Auditor');
    await packOf(auditor.client);
    const { body } = await client.call<AuditEntry[]>(listAuditEntries, {
      query: { kind: 'AuditorCalled' },
    });
    expect(JSON.stringify(body)).toContain(downloadAuditEvidence.name);
    const viewer = await joinAs(client, product.url, 'Viewer');
    const query = { from: today, to: today };
    const refused = await viewer.client.call(downloadAuditEvidence, { query });
    expect(refused.status).toBe(403);
  });

  it.each([
    ['from', { to: today }],
    ['to', { from: today }],
    ['from', { from: '2026-02-30', to: today }],
    ['from', { from: '0000-01-01', to: today }],
    ['to', { from: today, to: inDays(1) }],
    ['from', { from: today, to: inDays(-1) }],
    ['from', { from: inDays(-400), to: today }],
  ])('names %s of a bad period %j', async (path, query: Record<string, string>) => {
    const { status, body } = await admin.call<Problem>(downloadAuditEvidence, { query });
    expect([status, body.errors?.[0]?.path]).toEqual([422, path]);
  });
});
