import { randomUUID } from 'node:crypto';
import { openPool } from '@tallyhand/service-kit/postgres/pool';
import { CREDITS_GIVEN, type PairsLeft } from './pairs.ts';
import { servePairs } from './pairs-server.ts';
import { walletOf } from './wallets.ts';

/** As many as the command side has. */
const CONNECTIONS = 12;

/** Fastify and one row of PostgreSQL, as a wallet is usually written. */
const { kind, url } = JSON.parse(process.argv[2] ?? '{}');
const pool = openPool(url, CONNECTIONS);
const wallet = await walletOf(kind, pool, randomUUID(), CREDITS_GIVEN);

async function pair() {
  const id = randomUUID();
  await wallet.reserve(id, 1);
  await wallet.charge(id);
}

async function left(): Promise<PairsLeft> {
  const { rows } = await pool.query(
    `select (posted - reserved)::int as available, reserved = 0 as "isIntact",
       (select count(*)::int from entries where wallet = id and kind = 'reserved') as reserved,
       (select count(*)::int from entries where wallet = id and kind = 'charged') as charged
     from wallets where id = $1`,
    [wallet.id],
  );
  return rows[0];
}

await servePairs({ pair, left });
