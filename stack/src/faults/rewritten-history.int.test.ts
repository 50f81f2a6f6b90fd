import { join } from 'node:path';
import { type OpenedKit, openKit } from '@tallyhand/command-service/app/open-kit';
import { signLog } from '@tallyhand/command-service/features/audit/audit-checkpoints';
import {
  keepDifferences,
  keepRowsDifference,
} from '@tallyhand/command-service/features/audit/audit-differences';
import { checkLogs } from '@tallyhand/command-service/features/audit/check-logs';
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
  getAuditCheck,
  getAuditCheckpoint,
  getAuditConsistency,
  startAuditExport,
} from '@tallyhand/contracts/features/audit/audit-exports.endpoints';
import { getStatus, type Status } from '@tallyhand/contracts/features/status/status.endpoints';
import type { Problem } from '@tallyhand/contracts/kernel/problem';
import { checkpointIn } from '@tallyhand/service-kit/audit-bundle/checkpoint';
import { rowOfEvent } from '@tallyhand/service-kit/audit-bundle/event-row';
import { START } from '@tallyhand/service-kit/event-store/position';
import { readAllAfter } from '@tallyhand/service-kit/event-store/read-all';
import { type ApiClient, agentInput, registerOrganization } from '@tallyhand/test-kit/api-client';
import type pg from 'pg';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { withClient } from '../backup/manifest.ts';
import { forgeTree, rewriteEvent, rewriteRow } from '../testing/forged-log.ts';
import { type KeptProduct, startKeptProduct } from '../testing/kept-product.ts';

const stack = new AsyncDisposableStack();
let product: KeptProduct;
/** Beside the product, on its stores. */
let opened: OpenedKit;
beforeAll(async () => {
  product = stack.use(await startKeptProduct());
  opened = stack.use(await openKit(product.running.config));
});
afterAll(() => stack.disposeAsync());

const asAdmin = <T>(work: (admin: pg.Client) => Promise<T>) =>
  withClient(product.keys.databaseUrl, work);
const eventStoreDir = () => join(product.dataDir, 'event-store');

/** An organization whose log was signed after each of three agents. */
async function signedOrganization() {
  const { client, user } = await registerOrganization(product.running.url);
  const { id } = user.organization;
  const sizes: number[] = [];
  for (let at = 0; at < 3; at += 1) {
    await client.call(createAgent, { body: agentInput });
    // It waits until the tree has what was just stored.
    const { body } = await client.call<AuditCheckpoint>(getAuditCheckpoint);
    await signLog(opened.kit, id);
    sizes.push(checkpointIn(body)?.size ?? 0);
  }
  return { client, id, sizes };
}

/** The newest agent's creation. */
async function lastCreated(client: ApiClient): Promise<AuditEntry> {
  const { body } = await client.call<AuditEntry[]>(listAuditEntries);
  const entry = body.find(({ type }) => type === 'AgentCreated');
  if (!entry) throw new Error('No agent was created');
  return entry;
}

const rewrite = ({ id }: AuditEntry, description: string) =>
  rewriteEvent(eventStoreDir(), id, (data) => ({ ...data, description }));

/** What a check finds of an organization. */
async function found(organizationId: string) {
  const { differences } = await checkLogs(opened.kit, { hurries: true });
  return differences.filter((difference) => difference.organizationId === organizationId);
}

/** A check begins with the product, and takes its time. */
const CHECKED = { interval: 250 };
const checkOf = async (client: ApiClient) => (await client.call<AuditCheck>(getAuditCheck)).body;
const auditStatus = async (client: ApiClient) =>
  (await client.call<Status>(getStatus)).body.checks.find(({ name }) => name === 'audit')?.status;

describe('an event that is changed in the file of the event store', () => {
  it('is found at the next start, named, and stops exports until it is as it was', async () => {
    const { client, sizes } = await signedOrganization();
    const created = await lastCreated(client);
    const [, before = 0, last = 0] = sizes;
    rewrite(created, 'It was never so');
    await product.running.restart();
    const expected = { place: 'store', first: before + 1, last };
    const difference = async () => (await checkOf(client)).difference;
    await expect.poll(difference, CHECKED).toMatchObject(expected);
    const body = { format: 'ndjson' };
    const refused = await client.call<Problem>(startAuditExport, { body });
    expect([refused.status, refused.body.code]).toEqual([409, 'audit-log-differs']);
    expect(refused.body.detail).toContain(`Entries ${before + 1} to ${last} `);
    expect(await auditStatus(client)).toBe('failing');
    expect(await product.running.metrics()).toContain('\ntallyhand_audit_log_differences 1\n');

    rewrite(created, agentInput.description);
    await product.running.restart();
    await expect.poll(difference, CHECKED).toBeNull();
    const started = await client.call<AuditExport>(startAuditExport, { body });
    expect(started.status).toBe(202);
    expect(await auditStatus(client)).toBe('ok');
  });

  it('is found though no checkpoint was signed since', async () => {
    const { client, id, sizes } = await signedOrganization();
    await client.call(createAgent, { body: agentInput });
    const { body } = await client.call<AuditCheckpoint>(getAuditCheckpoint);
    const created = await lastCreated(client);
    rewrite(created, 'It was never so');
    const first = (sizes.at(-1) ?? 0) + 1;
    expect(await found(id)).toEqual([
      { organizationId: id, first, last: checkpointIn(body)?.size },
    ]);
    rewrite(created, agentInput.description);
    expect(await found(id)).toEqual([]);
  });
});

describe('a history that is rewritten everywhere, with all keys of the server', () => {
  it('passes every check of the server, and not the checkpoint that an auditor kept', async () => {
    const { client, id } = await signedOrganization();
    const created = await lastCreated(client);
    const { body: kept } = await client.call<AuditCheckpoint>(getAuditCheckpoint);
    rewrite(created, 'It was never so');
    await asAdmin(async (admin) => {
      await rewriteRow(admin, await storedRow(id, created));
      await forgeTree(admin, id);
    });
    expect(await found(id)).toEqual([]);
    const { body: forged } = await client.call<AuditCheckpoint>(getAuditCheckpoint);
    const [before, now] = [checkpointIn(kept), checkpointIn(forged)];
    expect(now?.size).toBe(before?.size);
    expect(now?.root).not.toBe(before?.root);
    const query = { from: String(before?.size) };
    const { body: proof } = await client.call<AuditConsistency>(getAuditConsistency, { query });
    expect(proof.earlier).not.toEqual(kept);
  });

  /** The row that a rebuild writes of an event. */
  async function storedRow(organizationId: string, { id, sequence }: AuditEntry) {
    const { eventLog } = opened.kit.streams;
    const { events } = await readAllAfter(eventLog, START, 10_000);
    const event = events.find((one) => one.id === id);
    if (event?.envelope.organizationId !== organizationId) throw new Error('It is not stored');
    return rowOfEvent(event, sequence);
  }
});

describe('stored checkpoints', () => {
  it('are a chain: one that is missing, changed, swapped or signed by others is found', async () => {
    const { id, sizes } = await signedOrganization();
    const [first = 0, second = 0, third = 0] = sizes;
    const ofLog = `organization_id = '${id}'`;
    const changes: [sql: string, found: [first: number, last: number]][] = [
      [
        `delete from operational.audit_checkpoints where ${ofLog} and size = ${second}`,
        [first + 1, third],
      ],
      [
        `update operational.audit_checkpoints set signed = (select signed
           from operational.audit_checkpoints where ${ofLog} and size = ${first})
         where ${ofLog} and size = ${second}`,
        [first + 1, second],
      ],
      [
        `update operational.audit_checkpoints set link = null, number = null
         where ${ofLog} and size = ${third}`,
        [second + 1, third],
      ],
    ];
    for (const [sql, [from, to]] of changes) {
      await asAdmin(async (admin) => {
        await admin.query('create table kept as select * from operational.audit_checkpoints');
        await admin.query(sql);
      });
      const differences = await found(id);
      await asAdmin((admin) =>
        admin.query(`
          delete from operational.audit_checkpoints;
          insert into operational.audit_checkpoints select * from kept;
          drop table kept;`),
      );
      expect([sql, differences]).toEqual([sql, [{ organizationId: id, first: from, last: to }]]);
    }
    expect(await found(id)).toEqual([]);

    // Signed with another key, or of more events than there are.
    const last = sizes.at(-1) ?? 0;
    const keyIs = (keyId: string) =>
      asAdmin((admin) =>
        admin.query(
          `update operational.audit_checkpoints set signed = jsonb_set(signed, '{keyId}', to_jsonb($2::text)),
             link = jsonb_set(link, '{keyId}', to_jsonb($2::text)) where organization_id = $1`,
          [id, keyId],
        ),
      );
    const { rows } = await asAdmin((admin) =>
      admin.query<{ key: string }>(
        `select signed->>'keyId' as key from operational.audit_checkpoints limit 1`,
      ),
    );
    await keyIs('0000000000000000');
    expect(await found(id)).toEqual([{ organizationId: id, first: 1, last: first }]);
    await keyIs(rows[0]?.key ?? '');
    await asAdmin((admin) =>
      admin.query(
        `insert into operational.audit_checkpoints (organization_id, size, signed)
         select organization_id, size + 10, signed from operational.audit_checkpoints
         where organization_id = $1 order by size desc limit 1`,
        [id],
      ),
    );
    expect(await found(id)).toEqual([{ organizationId: id, first: last + 1, last: last + 10 }]);
    await asAdmin((admin) =>
      admin.query(
        'delete from operational.audit_checkpoints where organization_id = $1 and size > $2',
        [id, last],
      ),
    );
    expect(await found(id)).toEqual([]);
  });
});

describe('what a check found', () => {
  it('is replaced by the next, except what exports found', async () => {
    const { client, id } = await signedOrganization();
    const { pool } = opened.kit;
    const ofRows = { organizationId: id, first: 5, last: 6 };
    await keepRowsDifference(pool, id, ofRows);
    await keepDifferences(pool, [{ organizationId: id, first: 2, last: 3 }]);
    expect((await checkOf(client)).difference).toMatchObject({ first: 2, last: 3 });
    await keepDifferences(pool, []);
    expect((await checkOf(client)).difference).toMatchObject({ place: 'rows', first: 5 });
    await keepRowsDifference(pool, id, null);
    const { checkedAt, difference } = await checkOf(client);
    expect([checkedAt !== null, difference]).toEqual([true, null]);
  });
});
