import { derivedId } from '@tallyhand/service-kit/crypto/ids';
import type { Kit } from '../../kit/app.ts';
import { backgroundContext } from '../../kit/context.ts';
import { recurring } from '../../kit/recurring.ts';
import { auditStream } from './audit.decider.ts';

/** By this time after an hour, all processes have stored its uses. */
const GRACE_SECONDS = 60;
const EVERY_MS = 60_000;
const AT_ONCE_MAX = 500;

type Uses = {
  readonly key_id: string;
  readonly organization_id: string;
  readonly hour: Date;
  readonly count: string;
};

/** Records in the audit log how often each API key was used in each past hour. */
export function recordKeyUses(kit: Kit, everyMs: number = EVERY_MS): AsyncDisposable {
  const { pool, log } = kit;
  const audits = kit.streams.of(auditStream);

  async function record({ key_id: keyId, organization_id: organizationId, ...uses }: Uses) {
    const hour = uses.hour.toISOString();
    const data = { organizationId, keyId, hour, count: Number(uses.count) };
    const commandId = derivedId(keyId, hour, 'used');
    const context = backgroundContext('worker', organizationId, { commandId });
    await audits.send(organizationId, { type: 'RecordKeyUse', data }, context);
    const sql = 'delete from operational.api_key_uses where key_id = $1 and hour = $2';
    await pool.query(sql, [keyId, uses.hour]);
  }

  return recurring({ everyMs, failed: 'uses of API keys were not recorded', log }, async () => {
    const { rows } = await pool.query<Uses>(
      `select key_id, organization_id, hour, count from operational.api_key_uses
       where hour <= now() - interval '1 hour' - make_interval(secs => $1)
       order by hour, key_id limit $2`,
      [GRACE_SECONDS, AT_ONCE_MAX],
    );
    for (const row of rows) await record(row);
  });
}
