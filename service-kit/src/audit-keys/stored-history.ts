import type pg from 'pg';
import { KeyEntry, type KeyHistory } from '../audit-bundle/key-history.ts';

/** All keys that have signed audit logs; empty before the first start of a command service. */
export async function readKeyHistory(pool: Pick<pg.Pool, 'query'>): Promise<KeyHistory> {
  const { rows } = await pool.query<{ entry: KeyEntry }>(
    'select entry from operational.audit_keys order by sequence',
  );
  return rows.map(({ entry }) => KeyEntry.parse(entry));
}

/**
 * Adds an entry to a history of `length` keys. False if another process has added one in the
 * meantime.
 */
export async function appendKey(
  pool: Pick<pg.Pool, 'query'>,
  length: number,
  entry: KeyEntry,
): Promise<boolean> {
  const { rowCount } = await pool.query(
    `insert into operational.audit_keys (sequence, key_id, entry) values ($1, $2, $3)
     on conflict do nothing`,
    [length + 1, entry.keyId, JSON.stringify(entry)],
  );
  return rowCount === 1;
}
