import { signCheckpoint, signLink } from '@tallyhand/service-kit/audit-bundle/checkpoint';
import type { SignedText } from '@tallyhand/service-kit/audit-bundle/signed-text';
import { errorFields } from '@tallyhand/service-kit/log';
import { inTenant } from '@tallyhand/service-kit/postgres/pool';
import type pg from 'pg';
import type { Kit } from '../../kit/app.ts';
import { recurring } from '../../kit/recurring.ts';
import { treeOf } from './log-trees.ts';

const SIGNED_AT_ONCE = 50;

export type CheckpointTimes = {
  readonly everyMs: number;
  /** How long a log may grow before it is signed again. */
  readonly unsignedMs: number;
};

const TIMES: CheckpointTimes = { everyMs: 60_000, unsignedMs: 3_600_000 };

/** A stored checkpoint. Those of releases before 0.2 have no link. */
export type StoredCheckpoint = {
  readonly size: number;
  readonly signed: SignedText;
  readonly number: number | null;
  readonly link: SignedText | null;
};

type CheckpointRow = Pick<StoredCheckpoint, 'signed' | 'link'> & {
  readonly size: string;
  readonly number: string | null;
};

const ofRow = ({ size, number, signed, link }: CheckpointRow): StoredCheckpoint => ({
  size: Number(size),
  signed,
  number: number === null ? null : Number(number),
  link,
});

/** Stored checkpoints above a size that were made before an instant, by size. */
export async function checkpointsAfter(
  pool: pg.Pool,
  organizationId: string,
  { size, madeBefore, max }: { size: number; madeBefore: Date; max: number },
): Promise<StoredCheckpoint[]> {
  const { rows } = await inTenant(pool, organizationId, (client) =>
    client.query<CheckpointRow>(
      `select size, signed, number, link from operational.audit_checkpoints
       where organization_id = $1 and size > $2 and made_at < $3 order by size limit $4`,
      [organizationId, size, madeBefore, max],
    ),
  );
  return rows.map(ofRow);
}

/** The newest checkpoint below this size. Later checkpoints can't change which it is. */
export async function checkpointBefore(
  pool: pg.Pool,
  organizationId: string,
  size: number | null,
): Promise<StoredCheckpoint | null> {
  const { rows } = await inTenant(pool, organizationId, (client) =>
    client.query<CheckpointRow>(
      `select size, signed, number, link from operational.audit_checkpoints
       where organization_id = $1 and ($2::bigint is null or size < $2) order by size desc limit 1`,
      [organizationId, size],
    ),
  );
  return rows[0] ? ofRow(rows[0]) : null;
}

/** Signs the tree of a log, after its newest checkpoint; does nothing if it has not grown. */
export async function signLog({ pool, auditSigning }: Kit, organizationId: string): Promise<void> {
  const tree = await treeOf(pool, organizationId);
  const newest = await checkpointBefore(pool, organizationId, null);
  const { size } = tree;
  if (size > (newest?.size ?? 0)) {
    const root = tree.root().toString('base64');
    const { signer } = await auditSigning.current();
    const signed = await signCheckpoint(signer, { organizationId, size, root });
    const number = (newest?.number ?? 0) + 1;
    const previous = newest?.link ?? null;
    const link = await signLink(signer, { organizationId, number, previous, checkpoint: signed });
    const { rowCount } = await inTenant(pool, organizationId, (client) =>
      client.query(
        `insert into operational.audit_checkpoints
           (organization_id, size, signed, number, link) values ($1, $2, $3, $4, $5)
         on conflict do nothing`,
        [organizationId, size, JSON.stringify(signed), number, JSON.stringify(link)],
      ),
    );
    // Another signer was faster, perhaps with fewer entries: the log stays queued.
    if (rowCount === 0) return;
  }
  // What was added meanwhile has its turn later.
  await pool.query(
    `update operational.audit_trees
     set unsigned_since = case when size > $2 then now() end where organization_id = $1`,
    [organizationId, size],
  );
}

/** Signs the logs that have grown, periodically. */
export function signGrownLogs(kit: Kit, times: CheckpointTimes = TIMES): AsyncDisposable {
  const { pool, log } = kit;
  const failed = 'audit logs were not signed';
  return recurring({ everyMs: times.everyMs, failed, log }, async (stop) => {
    const { rows } = await pool.query<{ organization_id: string }>(
      `select organization_id from operational.audit_trees
       where unsigned_since <= now() - make_interval(secs => $1::float / 1000)
       order by unsigned_since limit $2`,
      [times.unsignedMs, SIGNED_AT_ONCE],
    );
    for (const { organization_id: organizationId } of rows) {
      if (stop.aborted) return;
      await signLog(kit, organizationId).catch(async (error) => {
        log.error('an audit log was not signed', { organizationId, ...errorFields(error) });
        // It moves to the end of the queue.
        await pool.query(
          'update operational.audit_trees set unsigned_since = now() where organization_id = $1',
          [organizationId],
        );
      });
    }
  });
}
