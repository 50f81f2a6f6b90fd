import { randomUUID } from 'node:crypto';
import type { OperatorRequest } from '@tallyhand/read-models/kernel/operating';
import { openPool } from '@tallyhand/service-kit/postgres/pool';
import { askProjector } from '@tallyhand/stack/operator/rebuild-command';
import { afterAll, beforeAll, describe, expect, it, vi } from 'vitest';
import { ledgerProjection } from '../features/credits/ledger.projection.ts';
import { granted } from '../testing/ledger-history.ts';
import { openTestProjector, type TestProjector } from '../testing/test-projector.ts';
import type { Projection } from './projection.ts';

const APPENDED = 500;
const PAGE = 2_000;
const GRANTS = 2_500;
const { name, tables } = ledgerProjection.model;

let projector: TestProjector;
let organizationId: string;
beforeAll(async () => {
  projector = await openTestProjector();
  organizationId = projector.newOrganization();
  for (let i = 0; i < GRANTS; i += APPENDED) await append(APPENDED);
  await using _running = projector.project([ledgerProjection]);
  await projector.caughtUp([ledgerProjection]);
});
afterAll(() => projector[Symbol.asyncDispose]());

const append = (count: number) =>
  projector.append(
    organizationId,
    Array.from({ length: count }, () => granted(organizationId, 1)),
  );
const ask = (request: OperatorRequest) => askProjector(projector.admin, request);
const askForRebuild = (acceptsDifferences = false) =>
  ask({ kind: 'rebuild', projections: [name], acceptsDifferences });

type State = { state: string; done: number; detail: string };
async function stateOf() {
  const { rows } = await projector.admin.query<State>(
    `select state, events_done::int as done, detail from read_model.rebuilds where projection = $1`,
    [name],
  );
  return rows[0];
}
const reaches = (state: string) =>
  vi.waitFor(async () => expect(await stateOf()).toMatchObject({ state }));

async function nextTables() {
  const { rows } = await projector.admin.query<{ name: string }>(
    `select tablename as name from pg_tables
     where schemaname = 'read_model_next' and tablename <> 'checks'`,
  );
  return rows.map((row) => row.name);
}

/** All rows, in a stable order. */
async function rowsOf(schema = 'read_model') {
  const all: Record<string, string[]> = {};
  for (const table of Object.keys(tables)) {
    const { rows } = await projector.admin.query<{ row: string }>(
      `select t::text as row from ${schema}.${table} t order by 1`,
    );
    all[table] = rows.map(({ row }) => row);
  }
  return all;
}

async function balance(): Promise<number> {
  const [row] = await projector.rows<{ posted: string }>(
    'credit_balances',
    organizationId,
    'posted',
  );
  return Number(row?.posted);
}

/** Stops a rebuild after its first page, at each attempt. Nothing else happens meanwhile. */
function stoppedAfterFirstPage() {
  const pages: number[] = [];
  const projection: Projection = {
    ...ledgerProjection,
    async apply(tx, events, helpers) {
      if (events[0]?.revision !== 0n) {
        throw Object.assign(new Error('The administrator ended it'), { code: '57P01' });
      }
      pages.push(events.length);
      return ledgerProjection.apply(tx, events, helpers);
    },
  };
  return { projection, pages };
}

/** Reads one organization's balance as fast as it can until it is stopped. */
function reader(url: string) {
  const pool = openPool(url, 1);
  let isStopped = false;
  const seen: number[] = [];
  async function loop() {
    await pool.query(`select set_config('tallyhand.organization_id', $1, false)`, [organizationId]);
    while (!isStopped) {
      const { rows } = await pool.query<{ posted: string; sum: string; entries: string }>(
        `select b.posted, (select sum(amount) from read_model.ledger_entries) as sum
         from read_model.credit_balances b`,
      );
      expect(rows).toHaveLength(1);
      expect(rows[0]?.sum).toBe(rows[0]?.posted);
      seen.push(Number(rows[0]?.posted));
    }
  }
  const done = loop();
  return {
    seen,
    async stop() {
      isStopped = true;
      await done;
      await pool.end();
    },
  };
}

describe('a rebuild', () => {
  it('produces the same rows while others write and read, and no read fails or goes backwards', async () => {
    await using _running = projector.project([ledgerProjection]);
    await projector.caughtUp([ledgerProjection]);
    const before = await balance();
    const reading = reader(projector.queryUrl);
    const { rows: old } = await projector.admin.query(
      `select 'read_model.ledger_entries'::regclass::oid as oid`,
    );
    expect(await askForRebuild()).toMatchObject({ isDone: true });
    let written = 0;
    while ((await stateOf())?.state !== 'done') {
      await append(3);
      written += 3;
      expect((await stateOf())?.state).not.toBe('different');
    }
    await projector.caughtUp([ledgerProjection]);
    await reading.stop();
    expect((await stateOf())?.detail).toContain('rows, equal');
    const { rows: fresh } = await projector.admin.query(
      `select 'read_model.ledger_entries'::regclass::oid as oid`,
    );
    expect(fresh).not.toEqual(old);
    expect(reading.seen.length).toBeGreaterThan(10);
    expect(reading.seen).toEqual(reading.seen.toSorted((a, b) => a - b));
    expect(await balance()).toBe(before + written);
    expect(await nextTables()).toEqual([]);
  });

  it('resumes when the projector was stopped in the middle', async () => {
    const rows = await rowsOf();
    const { projection } = stoppedAfterFirstPage();
    {
      await using _running = projector.project([projection]);
      await askForRebuild();
      await vi.waitFor(async () => expect((await stateOf())?.done).toBe(PAGE));
    }
    expect(await rowsOf()).toEqual(rows);
    const starts: bigint[] = [];
    const noting: Projection = {
      ...ledgerProjection,
      apply(tx, events, helpers) {
        if (events[0]) starts.push(events[0].revision);
        return ledgerProjection.apply(tx, events, helpers);
      },
    };
    await using _again = projector.project([noting]);
    await reaches('done');
    expect(starts[0]).toBe(BigInt(PAGE));
    expect(await rowsOf()).toEqual(rows);
  });

  it('runs once, however often it is requested, and can be cancelled without a trace', async () => {
    const rows = await rowsOf();
    const { projection, pages } = stoppedAfterFirstPage();
    await using _running = projector.project([projection]);
    await Promise.all([askForRebuild(), askForRebuild()]);
    await vi.waitFor(async () => expect((await stateOf())?.done).toBe(PAGE));
    await askForRebuild();
    expect(pages).toEqual([PAGE]);
    expect((await nextTables()).toSorted()).toEqual(Object.keys(tables).toSorted());
    const cancelled = await ask({ kind: 'cancel-rebuild', projections: null });
    expect(cancelled).toEqual({ isDone: true, message: `Rebuild cancelled: ${name}.` });
    expect([await stateOf(), await nextTables()]).toMatchObject([{ state: 'cancelled' }, []]);
    expect(await rowsOf()).toEqual(rows);
    expect(await ask({ kind: 'cancel-rebuild', projections: null })).toMatchObject({
      isDone: false,
    });
  });

  it('keeps the current rows if they differ, until an operator accepts the difference', async () => {
    await using _running = projector.project([ledgerProjection]);
    const right = await balance();
    await projector.admin.query('update read_model.credit_balances set posted = posted + 7');
    await askForRebuild();
    await reaches('different');
    expect((await stateOf())?.detail).toContain(
      'credit_balances: 1 rows, different from the 1 before',
    );
    expect([await balance(), await nextTables()]).toEqual([right + 7, []]);
    await askForRebuild(true);
    await reaches('done');
    expect(await balance()).toBe(right);
  });

  it('waits for a long read before the tables change places, and ends no read', async () => {
    await using _running = projector.project([ledgerProjection]);
    const pool = openPool(projector.queryUrl, 1);
    await using _closed = { [Symbol.asyncDispose]: () => pool.end() };
    const long = await pool.connect();
    await long.query('begin');
    await long.query('select from read_model.credit_balances');
    await askForRebuild();
    await vi.waitFor(async () => {
      const { rowCount } = await projector.admin.query(
        `select from pg_locks where not granted and relation is not null
           and database = (select oid from pg_database where datname = current_database())`,
      );
      expect(rowCount).toBeGreaterThan(0);
    });
    await long.query('select from read_model.ledger_entries');
    expect((await stateOf())?.state).toBe('building');
    await long.query('commit');
    long.release();
    await reaches('done');
  });

  it('of an unknown read model is refused by name', async () => {
    await using _running = projector.project([ledgerProjection]);
    const unknown = randomUUID();
    const answer = await ask({
      kind: 'rebuild',
      projections: [unknown],
      acceptsDifferences: false,
    });
    expect(answer.isDone).toBe(false);
    expect(answer.message).toContain(unknown);
  });
});
