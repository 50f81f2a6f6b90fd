import type pg from 'pg';

export type Snapshot = { readonly revision: bigint; readonly state: unknown };

/** States of long streams, so that a cold start stays short. Disposable. */
export type Snapshots = {
  load(stream: string, version: number): Promise<Snapshot | null>;
  save(stream: string, version: number, revision: bigint, state: unknown): Promise<void>;
};

export function postgresSnapshots(pool: pg.Pool): Snapshots {
  return {
    async load(stream, version) {
      const { rows } = await pool.query<{ revision: string; state: unknown }>(
        'select revision, state from operational.snapshots where stream = $1 and version = $2',
        [stream, version],
      );
      return rows[0] ? { revision: BigInt(rows[0].revision), state: rows[0].state } : null;
    },
    async save(stream, version, revision, state) {
      await pool.query(
        `insert into operational.snapshots (stream, version, revision, state)
         values ($1, $2, $3, $4)
         on conflict (stream) do update set version = excluded.version,
           revision = excluded.revision, state = excluded.state, taken_at = now()
         where snapshots.revision < excluded.revision or snapshots.version <> excluded.version`,
        [stream, version, revision, JSON.stringify(state)],
      );
    },
  };
}
