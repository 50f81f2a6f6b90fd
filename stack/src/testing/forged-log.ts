import { join } from 'node:path';
import { DatabaseSync } from 'node:sqlite';
import { rowChecksum } from '@tallyhand/event-store/storage/event-rows';
import type { StoredEvent } from '@tallyhand/event-store/storage/events';
import { Frontier } from '@tallyhand/service-kit/audit-bundle/merkle';
import { type HashedRow, leafOf } from '@tallyhand/service-kit/audit-bundle/row';
import type pg from 'pg';

/** What an operator can do to a history: all of it is done to the stores directly. */

/** The event store holds the file's lock while it writes. */
const LOCK_MS_MAX = 20_000;

type Data = Record<string, unknown>;

const idBytes = (id: string) => Buffer.from(id.replaceAll('-', ''), 'hex');

/** Changes an event in the file of the embedded event store, with its checksum. */
export function rewriteEvent(eventStoreDir: string, id: string, change: (data: Data) => Data) {
  using db = new DatabaseSync(join(eventStoreDir, 'events.db'), { timeout: LOCK_MS_MAX });
  const row = db
    .prepare(
      `SELECT e.position, s.name AS stream, e.revision, e.id, e.type,
         e.content_type AS contentType, e.created, e.metadata, e.data
       FROM event e JOIN stream s ON s.number = e.stream WHERE e.id = ?`,
    )
    .get(idBytes(id)) as StoredEvent | undefined;
  if (!row) throw new Error(`There is no event ${id}`);
  const data = Buffer.from(JSON.stringify(change(JSON.parse(Buffer.from(row.data).toString()))));
  db.prepare('UPDATE event SET data = ?, checksum = ? WHERE id = ?').run(
    data,
    rowChecksum({ ...row, data }),
    idBytes(id),
  );
}

/** Changes a row of the audit log, with its hash, as a rebuild from changed events would. */
export async function rewriteRow(admin: pg.Client, changed: HashedRow): Promise<void> {
  const { rowCount } = await admin.query(
    'update read_model.audit_entries set data = $2, leaf = $3 where event_id = $1',
    [changed.eventId, JSON.stringify(changed.data), leafOf(changed)],
  );
  if (rowCount !== 1) throw new Error(`There is no entry of ${changed.eventId}`);
}

/** Computes the tree from the rows, and forgets what was signed. */
export async function forgeTree(admin: pg.Client, organizationId: string): Promise<void> {
  const { rows } = await admin.query<{ leaf: Buffer }>(
    `select leaf from read_model.audit_entries where organization_id = $1
       and sequence <= (select size from operational.audit_trees where organization_id = $1)
     order by sequence`,
    [organizationId],
  );
  const tree = new Frontier();
  for (const { leaf } of rows) tree.append(leaf);
  await admin.query('update operational.audit_trees set frontier = $2 where organization_id = $1', [
    organizationId,
    JSON.stringify(tree.state()),
  ]);
  await admin.query('delete from operational.audit_checkpoints where organization_id = $1', [
    organizationId,
  ]);
}
