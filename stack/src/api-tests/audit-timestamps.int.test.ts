import { spawnSync } from 'node:child_process';
import { mkdtemp, readFile, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { type OpenedKit, openKit } from '@tallyhand/command-service/app/open-kit';
import { anchorLogs } from '@tallyhand/command-service/features/audit/anchor-logs';
import { createAgent } from '@tallyhand/contracts/features/agents/agents.endpoints';
import {
  type AuditCheckpoint,
  downloadAuditTimestamps,
  getAuditCheckpoint,
} from '@tallyhand/contracts/features/audit/audit-exports.endpoints';
import type { StampedCheckpoint } from '@tallyhand/service-kit/audit-bundle/anchor';
import { checkpointIn } from '@tallyhand/service-kit/audit-bundle/checkpoint';
import { readStamps } from '@tallyhand/service-kit/audit-bundle/read-stamps';
import type { AuditRow } from '@tallyhand/service-kit/audit-bundle/row';
import { verifyBundle } from '@tallyhand/service-kit/audit-bundle/verify';
import { openBundle } from '@tallyhand/service-kit/audit-bundle/zip-reader';
import {
  type ApiClient,
  agentInput,
  cookieOf,
  registerOrganization,
} from '@tallyhand/test-kit/api-client';
import { describeIf } from '@tallyhand/test-kit/needs';
import {
  startTimestampAuthority,
  type TimestampAuthority,
} from '@tallyhand/test-kit/timestamp-authority';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { withClient } from '../backup/manifest.ts';
import { savedExport } from '../testing/finished-export.ts';
import { forgeTree, rewriteRow } from '../testing/forged-log.ts';
import { type OwnProduct, startTestProduct } from '../testing/product.ts';

const stack = new AsyncDisposableStack();
let product: OwnProduct;
let opened: OpenedKit;
let authority: TimestampAuthority;
let folder: string;
beforeAll(async () => {
  product = stack.use(await startTestProduct());
  opened = stack.use(await openKit(product.config));
  authority = stack.use(await startTimestampAuthority());
  folder = await mkdtemp(join(tmpdir(), 'tallyhand-stamps-'));
  stack.defer(() => rm(folder, { recursive: true }));
});
afterAll(() => stack.disposeAsync());

/** Lets the authority stamp once. */
async function stamp(): Promise<void> {
  const before = await anchors();
  const times = { everyMs: 20, anchorMs: 3_600_000 };
  await withClient(product.config.databaseUrl, (admin) =>
    admin.query(`update operational.audit_anchors set made_at = made_at - interval '1 hour'`),
  );
  await using _anchoring = anchorLogs(opened.kit, authority.url, times);
  await expect.poll(anchors).toBe(before + 1);
}

const anchors = async () => {
  const { rows } = await opened.kit.pool.query<{ count: number }>(
    'select count(*)::int as count from operational.audit_anchors',
  );
  return rows[0]?.count ?? 0;
};

async function stampsOf(client: ApiClient): Promise<string> {
  const cookie = cookieOf(client);
  const answer = await fetch(`${product.url}${downloadAuditTimestamps.path}`, {
    headers: { cookie },
  });
  expect(answer.status).toBe(200);
  const file = join(folder, `${crypto.randomUUID()}.ndjson`);
  await writeFile(file, Buffer.from(await answer.arrayBuffer()));
  return file;
}

const linesOf = async (file: string) =>
  (await readFile(file, 'utf8'))
    .split('\n')
    .filter(Boolean)
    .map((line) => JSON.parse(line) as StampedCheckpoint);

const exported = async (client: ApiClient) =>
  (await savedExport({ client, url: product.url }, folder)).file;

/** An organization with some history, all of it in its tree. */
async function organization() {
  const { client, user } = await registerOrganization(product.url);
  await addAgent(client);
  return { client, id: user.organization.id };
}

async function addAgent(client: ApiClient): Promise<number> {
  await client.call(createAgent, { body: agentInput });
  const { body } = await client.call<AuditCheckpoint>(getAuditCheckpoint);
  return checkpointIn(body)?.size ?? 0;
}

describe('time-stamps of audit logs', () => {
  it('are given to all logs at once, also in quiet hours, and each sees its own', async () => {
    const [one, other] = [await organization(), await organization()];
    expect(await linesOf(await stampsOf(one.client))).toEqual([]);
    await stamp();
    await addAgent(one.client);
    await stamp();
    const requests = authority.requests.length;
    const sizes = [];
    for (const { client, id } of [one, other]) {
      const file = await stampsOf(client);
      const lines = await linesOf(file);
      const checkpoints = lines.map(({ checkpoint }) => checkpointIn(checkpoint));
      expect(checkpoints.map((checkpoint) => checkpoint?.organizationId)).toEqual([id, id]);
      sizes.push(checkpoints.map((checkpoint) => checkpoint?.size ?? 0));
      expect(lines.map((line) => line.authority)).toEqual(['Test Time-Stamps', 'Test Time-Stamps']);
    }
    const [[before = 0, after = 0] = [], quiet = []] = sizes;
    expect(after).toBeGreaterThan(before);
    expect(quiet[0]).toBe(quiet[1]);
    expect(authority.requests.length).toBe(requests);
  });

  it('verify with an export of today, and with no other log, authority or text', async () => {
    const { client } = await organization();
    await stamp();
    await addAgent(client);
    const [file, bundle] = [await stampsOf(client), await exported(client)];
    const stamps = await readStamps(file, authority.pem);
    const { isWell, lines } = await verifyBundle(bundle, null, { stamps });
    expect([isWell, lines.at(-1)]).toEqual([
      true,
      expect.stringMatching(/^The log has what Test Time-Stamps stamped: its first \d+ rows at /),
    ]);

    const foreign = await organization();
    const elsewhere = await verifyBundle(await exported(foreign.client), null, { stamps });
    expect(elsewhere.lines.join()).toContain('The time-stamps are of another organization');

    await using stranger = await startTimestampAuthority();
    await expect(readStamps(file, stranger.pem)).rejects.toThrow('Line 1: ');
    const [line] = await linesOf(file);
    const [stamped] = await linesOf(await stampsOf(foreign.client));
    expect([line !== undefined, stamped]).toEqual([true, undefined]);
    const { body: signed } = await client.call<AuditCheckpoint>(getAuditCheckpoint);
    const swapped = join(folder, 'swapped.ndjson');
    await writeFile(swapped, `${JSON.stringify({ ...line, checkpoint: signed })}\n`);
    await expect(readStamps(swapped, authority.pem)).rejects.toThrow(
      'Line 1: the stamped text does not have this checkpoint',
    );
  });

  it('show that a history was rewritten with all keys of the server', async () => {
    const { client, id } = await organization();
    await stamp();
    const [file, bundle] = [await stampsOf(client), await exported(client)];
    const row = await rowOf(bundle, 'AgentCreated');
    await withClient(product.config.databaseUrl, async (admin) => {
      await rewriteRow(admin, { ...row, data: { ...row.data, description: 'It was never so' } });
      await forgeTree(admin, id);
    });
    const forged = await exported(client);
    expect(await verifyBundle(forged, null)).toMatchObject({ isWell: true });
    const stamps = await readStamps(file, authority.pem);
    const { isWell, lines } = await verifyBundle(forged, null, { stamps });
    expect([isWell, lines[0]]).toEqual([false, expect.stringContaining('The log was rewritten')]);
  });

  async function rowOf(bundle: string, type: string): Promise<AuditRow> {
    using reading = await openBundle(bundle);
    const pieces: Buffer[] = [];
    for await (const piece of reading.read('events.ndjson')) pieces.push(piece);
    const rows = String(Buffer.concat(pieces)).trimEnd().split('\n');
    const row = rows.map((line) => JSON.parse(line) as AuditRow).find((one) => one.type === type);
    if (!row) throw new Error(`There is no ${type}`);
    return row;
  }

  it('are requested again when the authority fails, and nothing false is kept', async () => {
    const { client } = await organization();
    const before = await anchors();
    for (const answer of [{ refuses: true }, { status: 503 }, { otherText: true }]) {
      authority.answerWith(answer);
      const asked = authority.requests.length;
      await using _anchoring = anchorLogs(opened.kit, authority.url, { everyMs: 20, anchorMs: 0 });
      await expect.poll(() => authority.requests.length).toBeGreaterThan(asked + 1);
    }
    expect(await anchors()).toBe(before);
    authority.answerWith({});
    await stamp();
    expect(await linesOf(await stampsOf(client))).toHaveLength(1);
  });
});

const openssl = spawnSync('openssl', ['version']).status === 0;

describeIf(openssl, 'OpenSSL')('OpenSSL', () => {
  it('agrees with a token', async () => {
    const { client } = await organization();
    await stamp();
    const [line] = await linesOf(await stampsOf(client));
    const file = (name: string) => join(folder, name);
    await writeFile(file('token.der'), Buffer.from(line?.token ?? '', 'base64'));
    await writeFile(file('anchor.txt'), line?.anchor ?? '');
    await writeFile(file('ca.pem'), authority.pem);
    const verify = (data: string) => {
      const given = ['-in', file('token.der'), '-data', data, '-CAfile', file('ca.pem')];
      return spawnSync('openssl', ['ts', '-verify', '-token_in'].concat(given));
    };
    const { status, stderr } = verify(file('anchor.txt'));
    expect([status, String(stderr)]).toEqual([0, expect.any(String)]);
    await writeFile(file('other.txt'), `${line?.anchor}x`);
    expect(verify(file('other.txt')).status).not.toBe(0);
  });
});
