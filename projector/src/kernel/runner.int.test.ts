import { randomUUID } from 'node:crypto';
import { CreditsGranted } from '@tallyhand/contracts/features/credits/credits.events';
import { OrganizationRegistered } from '@tallyhand/contracts/features/organizations/organizations.events';
import type { EventValue } from '@tallyhand/contracts/kernel/messages';
import type { ReadModelTables } from '@tallyhand/read-models/read-models';
import { newId } from '@tallyhand/service-kit/crypto/ids';
import { personKeys } from '@tallyhand/service-kit/crypto/person-keys';
import { sealedBox } from '@tallyhand/service-kit/crypto/sealed-box';
import {
  type EventLog,
  openEventLog,
  type StoredEvent,
} from '@tallyhand/service-kit/event-store/event-log';
import {
  comparePositions,
  parsePosition,
  START,
} from '@tallyhand/service-kit/event-store/position';
import { jsonLog } from '@tallyhand/service-kit/log';
import { openPool, roleUrl } from '@tallyhand/service-kit/postgres/pool';
import { READ_MODELS_CHANNEL } from '@tallyhand/service-kit/postgres/read-position';
import { migrate } from '@tallyhand/stack/application/migrate';
import { testDatabase, testEventStore, testKey } from '@tallyhand/test-kit/backends';
import { Kysely, PostgresDialect } from 'kysely';
import type pg from 'pg';
import { afterAll, beforeAll, describe, expect, it, vi } from 'vitest';
import { ledgerProjection } from '../features/credits/ledger.projection.ts';
import { organizationsProjection } from '../features/organizations/organizations.projection.ts';
import { PipelinedClient } from './pipelined-client.ts';
import type { Projection } from './projection.ts';
import { runProjections } from './runner.ts';
import { transactOn } from './transact.ts';

const masterKey = testKey();
const log = jsonLog('test', 'silent');

let opened: AsyncDisposableStack;
let eventLog: EventLog;
let admin: pg.Pool;
let pool: pg.Pool;
beforeAll(async () => {
  opened = new AsyncDisposableStack();
  const database = opened.use(await testDatabase());
  const store = opened.use(await testEventStore());
  await migrate(database.url, masterKey);
  admin = opened.adopt(openPool(database.url, 2), (p) => p.end());
  const url = roleUrl(database.url, masterKey, 'projector');
  pool = opened.adopt(openPool(url, 8, PipelinedClient), (p) => p.end());
  eventLog = opened.adopt(openEventLog(store.url), (e) => e.close());
});
afterAll(() => opened.disposeAsync());

/** A projector of these projections, on connections that it shares with those before it. */
const project = (projections: readonly Projection[]) =>
  runProjections({
    db: new Kysely<ReadModelTables>({ dialect: new PostgresDialect({ pool }) }),
    transact: transactOn(pool),
    personKeys: personKeys(pool, sealedBox(masterKey)),
    eventLog,
    log,
    projections,
  });

async function append(organizationId: string, stream: string, events: readonly EventValue[]) {
  const envelope = {
    schemaVersion: 1,
    organizationId,
    actor: { kind: 'worker' as const },
    correlationId: 'correlation',
    causationId: null,
    commandId: newId(),
    recordedAt: '2026-11-21T08:00:00.000Z',
  };
  const stored = events.map(({ type, data }) => ({ id: newId(), type, data, envelope }));
  await eventLog.append(stream, stored, null);
}

it('works with kept plans, which read no table that has outgrown them, and commits without waiting', async () => {
  const { rows } = await pool.query(`select name, setting from pg_settings where name in
    ('enable_seqscan', 'jit', 'plan_cache_mode', 'synchronous_commit') order by name`);
  expect(rows.map(({ name, setting }) => `${name} ${setting}`)).toEqual([
    'enable_seqscan off',
    'jit off',
    'plan_cache_mode force_generic_plan',
    'synchronous_commit off',
  ]);
});

/** An organization with a name and this many grants of one credit. */
async function registered(grants: number): Promise<string> {
  const organizationId = randomUUID();
  await append(organizationId, `organization-${organizationId}`, [
    OrganizationRegistered({ organizationId, name: 'Harbour' }),
  ]);
  const grant = () =>
    CreditsGranted({ organizationId, amount: 1, grantId: newId(), reason: 'sign-up' });
  await append(organizationId, `ledger-${organizationId}`, Array.from({ length: grants }, grant));
  return organizationId;
}

async function balanceOf(organizationId: string): Promise<number | null> {
  const { rows } = await admin.query<{ posted: string }>(
    'select posted from read_model.credit_balances where organization_id = $1',
    [organizationId],
  );
  return rows[0] ? Number(rows[0].posted) : null;
}

it('announces which streams of agents, connections and organizations have changed', async () => {
  const listener = await admin.connect();
  try {
    const announced: string[] = [];
    listener.on('notification', ({ payload = '{}' }) => {
      announced.push(...(JSON.parse(payload).streams ?? []));
    });
    await listener.query(`listen ${READ_MODELS_CHANNEL}`);
    await using _ = project([organizationsProjection, ledgerProjection]);
    const organizationId = await registered(1);
    await vi.waitFor(async () => expect(await balanceOf(organizationId)).toBe(1));
    await vi.waitFor(() => expect(announced).toContain(`organization-${organizationId}`));
    expect(announced.filter((stream) => stream.startsWith('ledger-'))).toEqual([]);
  } finally {
    listener.release(true);
  }
});

const namesOf = async (organizationId: string) =>
  (
    await admin.query<{ name: string }>(
      'select name from read_model.organizations where organization_id = $1',
      [organizationId],
    )
  ).rows.map(({ name }) => name);

async function checkpointOf({ model }: Projection) {
  const { rows } = await admin.query<{ position: string }>(
    'select position from read_model.checkpoints where projection = $1',
    [model.name],
  );
  return parsePosition(rows[0]?.position ?? '') ?? START;
}

const caughtUp = (projections: readonly Projection[]) =>
  vi.waitFor(async () => {
    const head = (await eventLog.head()) ?? START;
    for (const projection of projections) {
      expect(comparePositions(await checkpointOf(projection), head)).toBe(0);
    }
  });

/** A ledger that fails in each batch with an organization's last grant, after its rows, this often. */
function failing(organizationId: string, grants: number, times: number) {
  /** The balance that readers saw at each failure. */
  const seen: number[] = [];
  const projection: Projection = {
    ...ledgerProjection,
    async apply(tx, events, helpers) {
      const touched = await ledgerProjection.apply(tx, events, helpers);
      const isLast = ({ stream, revision }: StoredEvent) =>
        stream === `ledger-${organizationId}` && Number(revision) + 1 === grants;
      if (!events.some(isLast) || seen.length === times) return touched;
      seen.push((await balanceOf(organizationId)) ?? 0);
      throw new Error('the projection failed');
    },
  };
  return { seen, projection };
}

describe('the projector', () => {
  it('brings rows and checkpoint to the newest event, and continues from there', async () => {
    const all = [organizationsProjection, ledgerProjection];
    const first = await registered(3);
    {
      await using _running = project(all);
      await caughtUp(all);
      expect([await namesOf(first), await balanceOf(first)]).toEqual([['Harbour'], 3]);
    }
    const second = await registered(5);
    await using _running = project(all);
    await caughtUp(all);
    expect([await balanceOf(first), await balanceOf(second)]).toEqual([3, 5]);
  });

  it('keeps neither rows nor checkpoint of a batch that failed, and counts nothing twice', async () => {
    const organizationId = await registered(4);
    const { seen, projection } = failing(organizationId, 4, 3);
    const all = [organizationsProjection, projection];
    await using _running = project(all);
    await caughtUp(all);
    expect(seen).toHaveLength(3);
    for (const balance of seen) expect(balance).toBeLessThan(4);
    expect(await namesOf(organizationId)).toEqual(['Harbour']);
    expect(await balanceOf(organizationId)).toBe(4);
  });

  it('rebuilds the rows of a raised version, and leaves the others unchanged', async () => {
    const organizationId = await registered(2);
    const all = [organizationsProjection, ledgerProjection];
    {
      await using _running = project(all);
      await caughtUp(all);
    }
    await admin.query(`update read_model.organizations set name = 'Outdated'`);
    const { model } = organizationsProjection;
    const raised = { ...organizationsProjection, model: { ...model, version: model.version + 1 } };
    await using _running = project([raised, ledgerProjection]);
    await vi.waitFor(async () => expect(await namesOf(organizationId)).toEqual(['Harbour']));
    await caughtUp(all);
    expect(await balanceOf(organizationId)).toBe(2);
  });

  it('passes over events of kinds that it does not know', async () => {
    const organizationId = randomUUID();
    await append(organizationId, `organization-${organizationId}`, [
      { type: 'OrganizationPainted', data: { colour: 'blue' } },
      OrganizationRegistered({ organizationId, name: 'Painted' }),
    ]);
    const all = [organizationsProjection, ledgerProjection];
    await using _running = project(all);
    await caughtUp(all);
    expect(await namesOf(organizationId)).toEqual(['Painted']);
  });
});
