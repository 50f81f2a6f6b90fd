import { checkpointIn, signCheckpoint } from '@tallyhand/service-kit/audit-bundle/checkpoint';
import { keysOf } from '@tallyhand/service-kit/audit-bundle/key-history';
import { Frontier, type FrontierState } from '@tallyhand/service-kit/audit-bundle/merkle';
import { type SignedText, signatureFault } from '@tallyhand/service-kit/audit-bundle/signed-text';
import { errorFields } from '@tallyhand/service-kit/log';
import { inTenant } from '@tallyhand/service-kit/postgres/pool';
import type pg from 'pg';
import type { Kit } from '../../kit/app.ts';
import type { Reaction } from '../../kit/reactions.ts';
import { recurring } from '../../kit/recurring.ts';

const LEAVES_AT_ONCE = 20_000;
const SIGNED_AT_ONCE = 50;

export type CheckpointTimes = {
  readonly everyMs: number;
  /** How long a log may grow before it is signed again. */
  readonly unsignedMs: number;
};

const TIMES: CheckpointTimes = { everyMs: 60_000, unsignedMs: 3_600_000 };

/** Notes which logs have grown since they were signed. */
export const noteGrownLogs = ({ pool }: Kit): Reaction => ({
  name: 'note-grown-logs',
  async handle(events) {
    const grown = new Set(events.flatMap(({ envelope }) => envelope.organizationId ?? []));
    if (grown.size === 0) return;
    await pool.query(
      `insert into operational.unsigned_logs (organization_id)
       select * from unnest($1::uuid[]) on conflict do nothing`,
      [[...grown]],
    );
  },
});

/** The newest signed checkpoint below this size. Later checkpoints can't change which it is. */
export async function checkpointBefore(
  pool: pg.Pool,
  organizationId: string,
  size: number,
): Promise<SignedText | null> {
  const { rows } = await inTenant(pool, organizationId, (client) =>
    client.query<{ signed: SignedText }>(
      `select signed from operational.audit_checkpoints
       where organization_id = $1 and size < $2 order by size desc limit 1`,
      [organizationId, size],
    ),
  );
  return rows[0]?.signed ?? null;
}

/** Signs the current log, continuing from its last checkpoint; does nothing if it has not grown. */
export async function signLog(kit: Kit, organizationId: string): Promise<void> {
  await inTenant(kit.pool, organizationId, async (client) => {
    // A later row queues it again; if this fails, it is still queued.
    await client.query('delete from operational.unsigned_logs where organization_id = $1', [
      organizationId,
    ]);
    const { rows } = await client.query<{ frontier: FrontierState }>(
      `select frontier from operational.audit_checkpoints
       where organization_id = $1 order by size desc limit 1`,
      [organizationId],
    );
    const before = rows[0]?.frontier.size ?? 0;
    const tree = new Frontier(rows[0]?.frontier);
    for (;;) {
      const leaves = await leavesAfter(client, organizationId, tree.size);
      if (leaves.length === 0) break;
      for (const { sequence, leaf } of leaves) {
        const next = tree.size + 1;
        if (Number(sequence) !== next) throw new Error(`The log has a gap at ${next}`);
        tree.append(leaf);
      }
    }
    if (tree.size === before) return;
    const root = tree.root().toString('base64');
    const { signer } = await kit.auditSigning.current();
    const signed = await signCheckpoint(signer, { organizationId, size: tree.size, root });
    await client.query(
      `insert into operational.audit_checkpoints (organization_id, size, signed, frontier)
       values ($1, $2, $3, $4) on conflict do nothing`,
      [organizationId, tree.size, JSON.stringify(signed), JSON.stringify(tree.state())],
    );
  });
}

type Leaf = { readonly sequence: string; readonly leaf: Buffer };

/** The next leaves that a tree lacks, in order. */
async function leavesAfter(
  client: pg.PoolClient,
  organizationId: string,
  size: number,
  limit = LEAVES_AT_ONCE,
): Promise<readonly Leaf[]> {
  const { rows } = await client.query<Leaf>(
    `select sequence, leaf from read_model.audit_entries
     where organization_id = $1 and sequence > $2 order by sequence limit $3`,
    [organizationId, size, limit],
  );
  return rows;
}

/** Signs the logs that have grown, periodically. */
export function signGrownLogs(kit: Kit, times: CheckpointTimes = TIMES): AsyncDisposable {
  const { pool, log } = kit;
  const stopping = new AbortController();
  const signing = recurring(
    { everyMs: times.everyMs, failed: 'audit logs were not signed', log },
    async () => {
      const { rows } = await pool.query<{ organization_id: string }>(
        `select organization_id from operational.unsigned_logs
         where since <= now() - make_interval(secs => $1::float / 1000) order by since limit $2`,
        [times.unsignedMs, SIGNED_AT_ONCE],
      );
      for (const { organization_id: organizationId } of rows) {
        if (stopping.signal.aborted) return;
        await signLog(kit, organizationId).catch(async (error) => {
          log.error('an audit log was not signed', { organizationId, ...errorFields(error) });
          // It moves to the end of the queue.
          await pool.query(
            'update operational.unsigned_logs set since = now() where organization_id = $1',
            [organizationId],
          );
        });
      }
    },
  );
  return {
    async [Symbol.asyncDispose]() {
      stopping.abort();
      await signing[Symbol.asyncDispose]();
    },
  };
}

/**
 * Compares an organization's audit log, as the read models have it, with all of its signed
 * checkpoints. `wrong`: sizes whose signature is none of a key of the history, or at which the log
 * differs. Before the first signature of such a key, others are accepted: the derived key may have
 * changed before there was a history.
 */
export async function verifyCheckpoints(
  { pool, auditSigning }: Pick<Kit, 'pool' | 'auditSigning'>,
  organizationId: string,
): Promise<{ readonly checked: number; readonly wrong: readonly number[] }> {
  const keys = keysOf(await auditSigning.history());
  return inTenant(pool, organizationId, async (client) => {
    const { rows } = await client.query<{ size: string; signed: SignedText }>(
      `select size, signed from operational.audit_checkpoints
       where organization_id = $1 order by size`,
      [organizationId],
    );
    const tree = new Frontier();
    const wrong: number[] = [];
    let isKnown = false;
    for (const { size, signed } of rows) {
      while (tree.size < Number(size)) {
        const limit = Math.min(LEAVES_AT_ONCE, Number(size) - tree.size);
        const leaves = await leavesAfter(client, organizationId, tree.size, limit);
        if (leaves.length === 0) break;
        for (const { leaf } of leaves) tree.append(leaf);
      }
      const checkpoint = checkpointIn(signed);
      const isSame =
        checkpoint?.organizationId === organizationId &&
        checkpoint.size === tree.size &&
        checkpoint.root === tree.root().toString('base64');
      const fault = signatureFault(keys, signed);
      isKnown ||= fault === null;
      if (!isSame || fault === 'forged' || (fault && isKnown)) wrong.push(Number(size));
    }
    return { checked: rows.length, wrong };
  });
}
