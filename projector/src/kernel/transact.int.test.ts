import type { AddressInfo } from 'node:net';
import { connect, createServer, type Socket } from 'node:net';
import { openPool } from '@tallyhand/service-kit/postgres/pool';
import { testDatabase } from '@tallyhand/test-kit/backends';
import { sql } from 'kysely';
import type pg from 'pg';
import { afterAll, beforeAll, beforeEach, describe, expect, it, vi } from 'vitest';
import { PipelinedClient } from './pipelined-client.ts';
import type { Tx } from './projection.ts';
import { transactOn } from './transact.ts';

const LOCK = 41;

let opened: AsyncDisposableStack;
let admin: pg.Pool;
let pool: pg.Pool;
/** What was sent to the database, as text, write by write. */
let writes: string[] = [];

/** The same database through an ear on the way to it. */
async function overheard(databaseUrl: string): Promise<string> {
  const { port } = new URL(databaseUrl);
  const sockets = new Set<Socket>();
  const server = createServer((caller) => {
    const database = connect(Number(port), '127.0.0.1');
    for (const socket of [caller, database]) sockets.add(socket.on('error', () => {}));
    caller.on('data', (chunk) => {
      writes.push(chunk.toString('latin1'));
    });
    caller.pipe(database).pipe(caller);
  });
  await new Promise<void>((listening) => server.listen(0, '127.0.0.1', listening));
  opened.defer(() => {
    for (const socket of sockets) socket.destroy();
    server.close();
  });
  const url = new URL(databaseUrl);
  url.host = `127.0.0.1:${(server.address() as AddressInfo).port}`;
  return url.href;
}

beforeAll(async () => {
  opened = new AsyncDisposableStack();
  const database = opened.use(await testDatabase());
  admin = opened.adopt(openPool(database.url, 2), (p) => p.end());
  await admin.query('create table notes (at int generated always as identity, note text)');
  const url = await overheard(database.url);
  pool = opened.adopt(openPool(url, 2, PipelinedClient), (p) => p.end());
});
beforeEach(async () => {
  await admin.query('truncate notes');
  writes = [];
});
afterAll(() => opened.disposeAsync());

/** Starts a transaction with an invalid statement. */
class RefusingClient extends PipelinedClient {
  constructor(config?: string | pg.ClientConfig) {
    super(config);
    const query = this.query as (...args: unknown[]) => unknown;
    const misspelt = (text: unknown, ...rest: unknown[]) =>
      query(text === 'begin' ? 'begin what' : text, ...rest);
    this.query = misspelt as typeof this.query;
  }
}

const noting = (text: string) => sql`insert into notes (note) values (${text}) returning note`;
const note = (tx: Tx, text: string) => noting(text).execute(tx);

async function notes(): Promise<string[]> {
  const { rows } = await admin.query<{ note: string }>('select note from notes order by at');
  return rows.map((row) => row.note);
}

describe('statements of one transaction', () => {
  it('are sent before earlier ones are answered, and keep their order', async () => {
    const holder = await admin.connect();
    await holder.query('select pg_advisory_lock($1)', [LOCK]);
    try {
      const transact = transactOn(pool);
      const done = transact((tx) =>
        Promise.all([
          sql`select pg_advisory_xact_lock(${LOCK})`.execute(tx),
          note(tx, 'after the lock'),
          note(tx, 'after that'),
        ]),
      );
      await vi.waitFor(() => expect(writes.join('')).toContain('after that'));
      expect(await notes()).toEqual([]);
      await holder.query('select pg_advisory_unlock($1)', [LOCK]);
      await done;
    } finally {
      holder.release();
    }
    expect(await notes()).toEqual(['after the lock', 'after that']);
  });

  it('leave nothing behind when one of them fails, even if others are in flight', async () => {
    const failing = transactOn(pool)((tx) =>
      Promise.all([note(tx, 'before'), sql`select 1 / 0`.execute(tx), note(tx, 'after')]),
    );
    await expect(failing).rejects.toThrow('division by zero');
    expect(await notes()).toEqual([]);
  });

  it('are sent with `begin` if they read, and with the commit if nothing waits for them', async () => {
    const transact = transactOn(pool);
    // The connection is there, and knows its statements.
    for (let round = 0; round < 2; round += 1) {
      writes = [];
      await transact(async (tx, atEnd) => {
        await sql`select ${'read'}::text`.execute(tx);
        await note(tx, 'written');
        atEnd(noting('at the end'));
      });
    }
    expect(writes).toEqual([
      expect.stringMatching(/begin.*read/s),
      expect.stringContaining('written'),
      expect.stringMatching(/at the end.*commit/s),
    ]);
    expect(await notes()).toEqual(['written', 'at the end', 'written', 'at the end']);
  });

  it('have no effect when the last one fails, or one whose failure was ignored', async () => {
    const last = transactOn(pool)(async (tx, atEnd) => {
      await note(tx, 'before');
      atEnd(sql`select 1 / 0`);
    });
    await expect(last).rejects.toThrow('division by zero');
    const passedOver = transactOn(pool)(async (tx) => {
      await note(tx, 'before');
      await sql`select 1 / 0`.execute(tx).catch(() => {});
    });
    await expect(passedOver).rejects.toThrow('nothing was committed');
    expect(await notes()).toEqual([]);
  });

  it('write nothing when the transaction cannot begin', async () => {
    const url = pool.options.connectionString ?? '';
    await using ended = new AsyncDisposableStack();
    const refusing = ended.adopt(openPool(url, 2, RefusingClient), (p) => p.end());
    const refused = transactOn(refusing)((tx) =>
      Promise.all([sql`select ${'read'}::text`.execute(tx), note(tx, 'alone')]),
    );
    await expect(refused).rejects.toThrow('syntax error');
    expect(await notes()).toEqual([]);
  });

  it('are refused after its end, instead of running outside of it', async () => {
    let kept: Tx | undefined;
    await transactOn(pool)(async (tx) => {
      kept = tx;
      await note(tx, 'within');
    });
    if (!kept) throw new Error('The work did not run');
    await expect(note(kept, 'too late')).rejects.toThrow('The transaction is over');
    expect(await notes()).toEqual(['within']);
  });
});
