import { checkpointIn } from '@tallyhand/service-kit/audit-bundle/checkpoint';
import { auditKeyFrom } from '@tallyhand/service-kit/audit-bundle/keys';
import { Frontier } from '@tallyhand/service-kit/audit-bundle/merkle';
import { type SignedText, signatureFault } from '@tallyhand/service-kit/audit-bundle/signed-text';
import { inTenant } from '@tallyhand/service-kit/postgres/pool';
import type pg from 'pg';
import type { Kit } from '../../kit/app.ts';

const LEAVES_AT_ONCE = 20_000;

/**
 * Holds an organization's audit log, as the read models have it, against all that was ever signed of
 * it. `wrong`: sizes of the log whose signature is not ours, or at which the log is another one.
 * What was signed with an earlier key is held against the log all the same.
 */
export function verifyCheckpoints(
  { pool, settings }: Pick<Kit, 'pool' | 'settings'>,
  organizationId: string,
): Promise<{ readonly checked: number; readonly wrong: readonly number[] }> {
  const key = auditKeyFrom(settings.signingKey);
  return inTenant(pool, organizationId, async (client) => {
    const { rows } = await client.query<{ size: string; signed: SignedText }>(
      `select size, signed from operational.audit_checkpoints
       where organization_id = $1 order by size`,
      [organizationId],
    );
    const tree = new Frontier();
    const wrong: number[] = [];
    for (const { size, signed } of rows) {
      await growTo(client, organizationId, tree, Number(size));
      const checkpoint = checkpointIn(signed);
      const isSame =
        checkpoint?.organizationId === organizationId &&
        checkpoint.size === tree.size &&
        checkpoint.root === tree.root().toString('base64');
      if (!isSame || signatureFault(key, signed) === 'forged') wrong.push(Number(size));
    }
    return { checked: rows.length, wrong };
  });
}

async function growTo(client: pg.PoolClient, organizationId: string, tree: Frontier, size: number) {
  while (tree.size < size) {
    const { rows } = await client.query<{ leaf: Buffer }>(
      `select leaf from read_model.audit_entries
       where organization_id = $1 and sequence > $2 order by sequence limit $3`,
      [organizationId, tree.size, Math.min(LEAVES_AT_ONCE, size - tree.size)],
    );
    if (rows.length === 0) return;
    for (const { leaf } of rows) tree.append(leaf);
  }
}
