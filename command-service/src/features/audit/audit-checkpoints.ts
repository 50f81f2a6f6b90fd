import { signCheckpoint } from '@tallyhand/service-kit/audit-bundle/checkpoint';
import { auditKeyFrom } from '@tallyhand/service-kit/audit-bundle/keys';
import { Frontier, type FrontierState } from '@tallyhand/service-kit/audit-bundle/merkle';
import type { SignedText } from '@tallyhand/service-kit/audit-bundle/signed-text';
import { errorFields } from '@tallyhand/service-kit/log';
import { inTenant } from '@tallyhand/service-kit/postgres/pool';
import type pg from 'pg';
import type { Kit } from '../../kit/app.ts';
import type { Reaction } from '../../kit/reactions.ts';

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

/** The newest signed checkpoint of a log that was smaller. Later ones can't change which it is. */
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

/** Signs a log as it is now, going on from where it was signed last; nothing where it is the same. */
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
    for (let found = -1; found !== 0; ) found = await appendLeaves(client, organizationId, tree);
    if (tree.size === before) return;
    const root = tree.root().toString('base64');
    const key = auditKeyFrom(kit.settings.signingKey);
    const signed = signCheckpoint(key, { organizationId, size: tree.size, root });
    await client.query(
      `insert into operational.audit_checkpoints (organization_id, size, signed, frontier)
       values ($1, $2, $3, $4) on conflict do nothing`,
      [organizationId, tree.size, JSON.stringify(signed), JSON.stringify(tree.state())],
    );
  });
}

async function appendLeaves(
  client: pg.PoolClient,
  organizationId: string,
  tree: Frontier,
): Promise<number> {
  const { rows } = await client.query<{ sequence: string; leaf: Buffer }>(
    `select sequence, leaf from read_model.audit_entries
     where organization_id = $1 and sequence > $2 order by sequence limit $3`,
    [organizationId, tree.size, LEAVES_AT_ONCE],
  );
  for (const { sequence, leaf } of rows) {
    if (Number(sequence) !== tree.size + 1)
      throw new Error(`The log has a gap at ${tree.size + 1}`);
    tree.append(leaf);
  }
  return rows.length;
}

/** Signs the logs that have grown, again and again. */
export function signGrownLogs(kit: Kit, times: CheckpointTimes = TIMES): AsyncDisposable {
  const { pool, log } = kit;
  let running = Promise.resolve();
  let isStopping = false;
  async function sweep() {
    const { rows } = await pool.query<{ organization_id: string }>(
      `select organization_id from operational.unsigned_logs
       where since <= now() - make_interval(secs => $1::float / 1000) order by since limit $2`,
      [times.unsignedMs, SIGNED_AT_ONCE],
    );
    for (const { organization_id: organizationId } of rows) {
      if (isStopping) return;
      await signLog(kit, organizationId).catch(async (error) => {
        log.error('an audit log was not signed', { organizationId, ...errorFields(error) });
        // The others come first then.
        await pool.query(
          'update operational.unsigned_logs set since = now() where organization_id = $1',
          [organizationId],
        );
      });
    }
  }
  const timer = setInterval(() => {
    running = running
      .then(sweep)
      .catch((error) => log.warn('audit logs were not signed', errorFields(error)));
  }, times.everyMs);
  return {
    async [Symbol.asyncDispose]() {
      clearInterval(timer);
      isStopping = true;
      await running;
    },
  };
}
