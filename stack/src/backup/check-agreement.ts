import { openForReading } from '@tallyhand/event-store/storage/database';
import { EventRows } from '@tallyhand/event-store/storage/event-rows';
import pg from 'pg';

/** Where tables keep positions of $all; each is at or before the newest event. */
export const POSITIONS = [
  { table: 'operational.reaction_checkpoints', column: 'position' },
  { table: 'operational.idempotency', column: 'position' },
  { table: 'operational.notice_looks', column: 'position' },
] as const;

/** Events that the tables refer to and the embedded event store lacks, as sentences. */
export async function checkAgreement(
  client: pg.Client,
  eventStoreDir: string,
): Promise<readonly string[]> {
  using db = openForReading(eventStoreDir);
  const events = new EventRows(db);
  const head = events.head();
  const faults: string[] = [];
  for (const { table, column } of POSITIONS) {
    const { rows } = await client.query<{ count: string }>(
      `select count(*) from ${table}
       where substring(${pg.escapeIdentifier(column)} from '^C(\\d+)-')::numeric > $1`,
      [head],
    );
    if (rows[0]?.count !== '0') faults.push(`${table} knows of events after the last, ${head}.`);
  }
  const { rows: snapshots } = await client.query<{ stream: string; revision: string }>(
    'select stream, revision from operational.snapshots',
  );
  for (const { stream, revision } of snapshots) {
    const number = events.streamNumber(stream);
    const last = number === null ? -1 : events.lastRevision(number);
    if (Number(revision) > last) faults.push(`A snapshot is ahead of its stream ${stream}.`);
  }
  return faults;
}
