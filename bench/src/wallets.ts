import { inTransaction } from '@tallyhand/service-kit/postgres/pool';
import type pg from 'pg';

export type WalletKind = 'row-lock' | 'guarded-update';

/** Both calls are durable when they resolve, and reject where there is nothing to take from. */
export type Wallet = {
  readonly id: string;
  reserve(reservationId: string, amount: number): Promise<void>;
  charge(reservationId: string): Promise<void>;
};

const TABLES = `
  create table if not exists wallets (
    id uuid primary key,
    posted bigint not null,
    reserved bigint not null default 0 check (reserved >= 0 and reserved <= posted)
  );
  create table if not exists entries (
    reservation_id uuid not null,
    kind text not null,
    wallet uuid not null references wallets (id),
    amount bigint not null,
    at timestamptz not null default now(),
    primary key (reservation_id, kind)
  )`;

/** A new wallet with its credits, and its entries in a table beside it. */
export async function walletOf(
  kind: WalletKind,
  pool: pg.Pool,
  id: string,
  posted: number,
): Promise<Wallet> {
  await pool.query(TABLES);
  await pool.query('insert into wallets (id, posted) values ($1, $2)', [id, posted]);
  return kind === 'row-lock' ? lockedWallet(pool, id) : guardedWallet(pool, id);
}

/** Reads the row under its lock, decides in the service, writes, commits. */
function lockedWallet(pool: pg.Pool, id: string): Wallet {
  const locked = async (client: pg.PoolClient) => {
    const text = 'select posted, reserved from wallets where id = $1 for update';
    const { rows } = await client.query({ name: 'lock', text, values: [id] });
    return { posted: Number(rows[0].posted), reserved: Number(rows[0].reserved) };
  };
  const keep = (client: pg.PoolClient, posted: number, reserved: number) =>
    client.query({
      name: 'keep',
      text: 'update wallets set posted = $2, reserved = $3 where id = $1',
      values: [id, posted, reserved],
    });
  const enter = (client: pg.PoolClient, reservationId: string, kind: string, amount: number) =>
    client.query({
      name: 'enter',
      text: 'insert into entries (reservation_id, kind, wallet, amount) values ($1, $2, $3, $4)',
      values: [reservationId, kind, id, amount],
    });
  return {
    id,
    reserve: (reservationId, amount) =>
      inTransaction(pool, async (client) => {
        const { posted, reserved } = await locked(client);
        if (amount > posted - reserved) throw new Error('The credits do not suffice');
        await keep(client, posted, reserved + amount);
        await enter(client, reservationId, 'reserved', amount);
      }),
    charge: (reservationId) =>
      inTransaction(pool, async (client) => {
        const { posted, reserved } = await locked(client);
        const text = `select amount from entries where reservation_id = $1 and kind = 'reserved'`;
        const found = await client.query({ name: 'find', text, values: [reservationId] });
        const amount = Number(found.rows[0].amount);
        await keep(client, posted - amount, reserved - amount);
        await enter(client, reservationId, 'charged', amount);
      }),
  };
}

/** The row is changed where its condition holds, with its entry, in one statement. */
function guardedWallet(pool: pg.Pool, id: string): Wallet {
  const run = async (name: string, text: string, values: unknown[]) => {
    const { rowCount } = await pool.query({ name, text, values });
    if (rowCount !== 1) throw new Error('The credits do not suffice');
  };
  const reserve = `
    with changed as (
      update wallets set reserved = reserved + $3
      where id = $1 and posted - reserved >= $3 returning id
    )
    insert into entries (reservation_id, kind, wallet, amount)
    select $2, 'reserved', id, $3 from changed`;
  const charge = `
    with found as (
      select amount from entries where reservation_id = $2 and kind = 'reserved'
    ), changed as (
      update wallets set posted = posted - amount, reserved = reserved - amount
      from found where id = $1 returning id, amount
    )
    insert into entries (reservation_id, kind, wallet, amount)
    select $2, 'charged', id, amount from changed`;
  return {
    id,
    reserve: (reservationId, amount) => run('reserve', reserve, [id, reservationId, amount]),
    charge: (reservationId) => run('charge', charge, [id, reservationId]),
  };
}
