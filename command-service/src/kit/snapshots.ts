import type pg from 'pg';

export type Snapshot = {
  readonly revision: bigint;
  /** The hash of the event at `revision` if the stream is a chain, otherwise ''. */
  readonly head: string;
  readonly state: unknown;
};

/** States of long streams, so that a cold start stays short. Disposable. */
export type Snapshots = {
  load(stream: string, version: number): Promise<Snapshot | null>;
  save(stream: string, version: number, snapshot: Snapshot): Promise<void>;
};

export function postgresSnapshots(pool: pg.Pool): Snapshots {
  return {
    async load(stream, version) {
      const { rows } = await pool.query<{ revision: string; head: string; state: unknown }>(
        'select revision, head, state from operational.snapshots where stream = $1 and version = $2',
        [stream, version],
      );
      return rows[0] ? { ...rows[0], revision: BigInt(rows[0].revision) } : null;
    },
    async save(stream, version, { revision, head, state }) {
      await pool.query(
        `insert into operational.snapshots (stream, version, revision, head, state)
         values ($1, $2, $3, $4, $5)
         on conflict (stream) do update set version = excluded.version,
           revision = excluded.revision, head = excluded.head, state = excluded.state, taken_at = now()
         where snapshots.revision < excluded.revision or snapshots.version <> excluded.version`,
        [stream, version, revision, head, JSON.stringify(state)],
      );
    },
  };
}
