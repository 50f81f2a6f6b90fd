import { mkdtemp, readFile, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { openKit } from '@tallyhand/command-service/app/open-kit';
import { signLog } from '@tallyhand/command-service/features/audit/audit-checkpoints';
import { createAgent } from '@tallyhand/contracts/features/agents/agents.endpoints';
import {
  type AuditEntry,
  listAuditEntries,
} from '@tallyhand/contracts/features/audit/audit.endpoints';
import {
  type AuditCheck,
  type AuditCheckpoint,
  type AuditConsistency,
  type AuditExport,
  type AuditKey,
  getAuditCheck,
  getAuditCheckpoint,
  getAuditConsistency,
  getAuditExport,
  listAuditKeys,
  startAuditExport,
} from '@tallyhand/contracts/features/audit/audit-exports.endpoints';
import type { Problem } from '@tallyhand/contracts/kernel/problem';
import { checkpointIn } from '@tallyhand/service-kit/audit-bundle/checkpoint';
import { readEarlierHead } from '@tallyhand/service-kit/audit-bundle/earlier-head';
import { isConsistent } from '@tallyhand/service-kit/audit-bundle/merkle-proofs';
import { readPublicKey } from '@tallyhand/service-kit/audit-bundle/public-key';
import type { AuditRow } from '@tallyhand/service-kit/audit-bundle/row';
import { signatureFault } from '@tallyhand/service-kit/audit-bundle/signed-text';
import { verifyBundle } from '@tallyhand/service-kit/audit-bundle/verify';
import { openBundle } from '@tallyhand/service-kit/audit-bundle/zip-reader';
import { type ApiClient, agentInput, registerOrganization } from '@tallyhand/test-kit/api-client';
import pg from 'pg';
import { beforeAll, describe, expect, it } from 'vitest';
import { savedExport } from '../testing/finished-export.ts';
import { forgeTree, rewriteRow } from '../testing/forged-log.ts';
import { startTestProduct, type TestProduct } from '../testing/product.ts';

let product: TestProduct;
let folder: string;
beforeAll(async () => {
  // A rewritten history fails a check of the whole product.
  const own = await startTestProduct();
  product = own;
  folder = await mkdtemp(join(tmpdir(), 'tallyhand-anchor-'));
  return async () => {
    await own[Symbol.asyncDispose]();
    await rm(folder, { recursive: true });
  };
});

const addAgents = async (client: ApiClient, count: number) => {
  for (let at = 0; at < count; at += 1) await client.call(createAgent, { body: agentInput });
};

async function organization() {
  const { client, user } = await registerOrganization(product.url);
  await addAgents(client, 5);
  const [published] = (await client.call<AuditKey[]>(listAuditKeys)).body;
  const key = readPublicKey(published?.pem ?? '');
  if (!key) throw new Error('No key is published');
  return { client, key, id: user.organization.id };
}

const checkpointNow = async (client: ApiClient) => {
  const { body } = await client.call<AuditCheckpoint>(getAuditCheckpoint);
  const state = checkpointIn(body);
  if (!state) throw new Error('No checkpoint was answered');
  return { signed: body, ...state };
};

const exported = (client: ApiClient, body: object = {}) =>
  savedExport({ client, url: product.url }, folder, body);

async function saved(signed: AuditCheckpoint): Promise<string> {
  const file = join(folder, `${crypto.randomUUID()}.json`);
  await writeFile(file, JSON.stringify(signed));
  return file;
}

const isEmpty = { filter: { q: 'nothing has this word' } };

describe('the checkpoint of the audit log', () => {
  it('is of the whole log, signed with the published key, whether or not one is stored', async () => {
    const { client, key, id } = await organization();
    await using opened = await openKit(product.config);
    for (const isStored of [false, true]) {
      if (isStored) await signLog(opened.kit, id);
      await addAgents(client, 1);
      const [newest] = (await client.call<AuditEntry[]>(listAuditEntries)).body;
      const { signed, size, organizationId } = await checkpointNow(client);
      expect([size, organizationId]).toEqual([newest?.sequence, id]);
      expect(signatureFault([key], signed)).toBeNull();
      const { file } = await exported(client, { upTo: size });
      expect((await readEarlierHead(file)).signed).toEqual(signed);
    }
  });
});

describe('a proof of consistency', () => {
  const treeOf = (signed: AuditCheckpoint) => {
    const state = checkpointIn(signed);
    return { size: state?.size ?? 0, root: Buffer.from(state?.root ?? '', 'base64') };
  };

  it('leads from any earlier size to any later one', async () => {
    const { client, key } = await organization();
    const before = await checkpointNow(client);
    await addAgents(client, 3);
    const { size } = await checkpointNow(client);
    const sizes: [from: number, to: number][] = [
      [1, size],
      [before.size, size],
      [size, size],
      [3, 6],
    ];
    for (const [from, to] of sizes) {
      const query = { from: String(from), ...(to < size && { to: String(to) }) };
      const { body } = await client.call<AuditConsistency>(getAuditConsistency, { query });
      const trees = { earlier: treeOf(body.earlier), later: treeOf(body.later) };
      expect([trees.earlier.size, trees.later.size]).toEqual([from, to]);
      const proof = body.proof.map((hash) => Buffer.from(hash, 'base64'));
      expect(isConsistent(proof, trees)).toBe(true);
      expect([body.earlier, body.later].map((one) => signatureFault([key], one))).toEqual([
        null,
        null,
      ]);
      if (from === before.size) expect(body.earlier).toEqual(before.signed);
    }
  });

  it('is refused for sizes that the log does not have, which are named', async () => {
    const { client } = await registerOrganization(product.url);
    const cases: readonly (readonly [query: Record<string, string>, path: string])[] = [
      [{}, 'from'],
      [{ from: '0' }, 'from'],
      [{ from: 'x' }, 'from'],
      [{ from: '1.5' }, 'from'],
      [{ from: '4', to: '3' }, 'from'],
      [{ from: '1000000' }, 'from'],
      [{ from: '1', to: '1000000' }, 'to'],
      [{ from: '1', until: '3' }, 'until'],
    ];
    for (const [query, path] of cases) {
      const { status, body } = await client.call<Problem>(getAuditConsistency, { query });
      expect([query, status, body.errors?.[0]?.path]).toEqual([query, 422, path]);
    }
  });
});

describe('an export that continues from an own checkpoint', () => {
  it('is verified with it, whatever the export leaves out', async () => {
    const { client, key } = await organization();
    const before = await checkpointNow(client);
    await addAgents(client, 3);
    const continued = await exported(client, { ...isEmpty, since: before.signed });
    const { upTo } = continued;
    const bySize = await exported(client, { ...isEmpty, sinceSize: before.size, upTo });
    expect([continued.since, bySize.since]).toEqual([before.size, before.size]);
    expect(await readFile(bySize.file)).toEqual(await readFile(continued.file));
    const since = await readEarlierHead(await saved(before.signed));
    expect(await verifyBundle(continued.file, key, { since })).toMatchObject({ isWell: true });
    const without = await exported(client, { ...isEmpty });
    expect(without.since).toBeNull();
    expect(await verifyBundle(without.file, key, { since })).toMatchObject({ isWell: false });
  });

  it('is refused with a checkpoint that is none of this log', async () => {
    const [{ client }, other] = [await organization(), await organization()];
    const { signed, size } = await checkpointNow(client);
    const foreign = await checkpointNow(other.client);
    const forged = { ...signed, signature: foreign.signed.signature };
    const cases: [body: object, path: string][] = [
      [{ since: foreign.signed }, 'since'],
      [{ since: forged }, 'since'],
      [{ since: { ...signed, text: 'nothing' } }, 'since'],
      [{ since: signed, upTo: size - 1 }, 'since'],
      [{ since: 'nothing' }, 'since'],
      [{ since: { ...signed, color: 'blue' } }, 'since.color'],
      [{ since: signed, sinceSize: 1 }, 'sinceSize'],
      [{ sinceSize: size + 1 }, 'sinceSize'],
      [{ sinceSize: 0 }, 'sinceSize'],
    ];
    for (const [wanted, path] of cases) {
      const body = { format: 'ndjson', ...wanted };
      const answer = await client.call<Problem>(startAuditExport, { body });
      expect([wanted, answer.status, answer.body.errors?.[0]?.path]).toEqual([wanted, 422, path]);
    }
  });
});

/** Rewrites an entry of the rows and, if told so, the tree, as if it had been so all along. */
async function rewriteHistory(
  organizationId: string,
  file: string,
  { withTree }: { withTree: boolean },
): Promise<number> {
  using bundle = await openBundle(file);
  const pieces: Buffer[] = [];
  for await (const piece of bundle.read('events.ndjson')) pieces.push(piece);
  const rows = String(Buffer.concat(pieces)).trimEnd().split('\n');
  const row = rows
    .map((line) => JSON.parse(line) as AuditRow)
    .find(({ type }) => type === 'AgentCreated');
  if (!row) throw new Error('No agent was created');
  const admin = new pg.Client({ connectionString: product.config.databaseUrl });
  await admin.connect();
  try {
    await rewriteRow(admin, { ...row, data: { ...row.data, description: 'It was never so' } });
    if (withTree) await forgeTree(admin, organizationId);
  } finally {
    await admin.end();
  }
  return row.sequence;
}

describe('a history that the operator rewrites and signs again', () => {
  it('verifies alone, but not with the export or checkpoint that an auditor kept', async () => {
    const { client, key, id } = await organization();
    const { signed } = await checkpointNow(client);
    const kept = await exported(client);
    const sequence = await rewriteHistory(id, kept.file, { withTree: true });
    await addAgents(client, 1);
    const forged = await exported(client);
    expect(await verifyBundle(forged.file, key)).toMatchObject({ isWell: true });
    for (const [file, place] of [
      [kept.file, [`Row ${sequence} is the first that differs.`]],
      [await saved(signed), []],
    ] as const) {
      const since = await readEarlierHead(file);
      const { isWell, lines } = await verifyBundle(forged.file, key, { since });
      expect([isWell, ...lines]).toEqual([
        false,
        expect.stringContaining('The log was rewritten'),
        ...place,
      ]);
    }
    const continued = await exported(client, { ...isEmpty, since: signed });
    expect(await verifyBundle(continued.file, key)).toMatchObject({ isWell: false });
  });

  it('is not exported or proved if only the rows are rewritten', async () => {
    const { client, id } = await organization();
    const kept = await exported(client);
    const sequence = await rewriteHistory(id, kept.file, { withTree: false });
    await addAgents(client, 1);
    const body = { format: 'ndjson' };
    const { body: started } = await client.call<AuditExport>(startAuditExport, { body });
    const params = { id: started.id };
    const now = async () => (await client.call<AuditExport>(getAuditExport, { params })).body;
    await expect.poll(async () => (await now()).status).toBe('failed');
    const { difference } = (await client.call<AuditCheck>(getAuditCheck)).body;
    expect(difference?.place).toBe('rows');
    // The log may have been signed meanwhile: it differs after what was signed.
    expect(difference?.first).toBeLessThanOrEqual(sequence);
    expect(difference?.last).toBeGreaterThanOrEqual(sequence);
    const proof = await client.call<Problem>(getAuditConsistency, { query: { from: '1' } });
    expect([proof.status, proof.body.code]).toEqual([409, 'audit-log-differs']);
  });
});
