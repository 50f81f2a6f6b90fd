import { auditEvents } from '@tallyhand/contracts/features/audit/audit.events';
import { derivedId } from '@tallyhand/service-kit/crypto/ids';
import type { StoredEvent } from '@tallyhand/service-kit/event-store/event-log';
import { errorFields } from '@tallyhand/service-kit/log';
import type { Kit } from '../../kit/app.ts';
import { backgroundContext } from '../../kit/context.ts';
import { type Reaction, reaction } from '../../kit/reactions.ts';
import { recurring } from '../../kit/recurring.ts';
import { mailsEn } from '../../messages/mails-en.ts';
import { auditStream } from './audit.decider.ts';
import { checkpointBefore, signLog } from './audit-checkpoints.ts';

export type PublishTimes = {
  readonly everyMs: number;
  readonly now: () => Date;
};

const TIMES: PublishTimes = { everyMs: 60_000, now: () => new Date() };
const AT_ONCE_MAX = 500;

const { CheckpointPublished, CheckpointPublishingChanged } = auditEvents;

type Due = { readonly organization_id: string; readonly period: Date };

/** Publishes a checkpoint of each log whose hour, day or week (UTC) has none yet. */
export function publishCheckpoints(
  kit: Kit,
  { everyMs, now }: PublishTimes = TIMES,
): AsyncDisposable {
  const { pool, log } = kit;
  const audits = kit.streams.of(auditStream);

  async function publish({ organization_id: organizationId, period: begins }: Due) {
    await signLog(kit, organizationId);
    const newest = await checkpointBefore(pool, organizationId, null);
    if (!newest) return;
    const period = begins.toISOString();
    const { size, signed: checkpoint } = newest;
    const data = { organizationId, period, size, checkpoint };
    const commandId = derivedId(organizationId, period, 'published');
    const context = backgroundContext('worker', organizationId, { commandId });
    await audits.send(organizationId, { type: 'PublishCheckpoint', data }, context);
    // The reaction does the same, unless the period had its checkpoint already.
    await pool.query(
      `update operational.checkpoint_schedules set published = greatest(published, $2)
       where organization_id = $1`,
      [organizationId, period],
    );
  }

  return recurring({ everyMs, failed: 'checkpoints were not published', log }, async (stop) => {
    const { rows } = await pool.query<Due>(
      `select organization_id, period from (
         select *, date_trunc(every, $1::timestamptz, 'UTC') as period from operational.checkpoint_schedules) s
       where published is null or published < period
       order by published nulls first, organization_id limit $2`,
      [now(), AT_ONCE_MAX],
    );
    for (const due of rows) {
      if (stop.aborted) return;
      // One log that can't be signed is no reason to leave out the others.
      await publish(due).catch((error) =>
        log.error('a checkpoint was not published', {
          organizationId: due.organization_id,
          ...errorFields(error),
        }),
      );
    }
  });
}

/** The ids of active members, without Auditors whose last day is over. */
export async function membersAmong(
  { pool }: Pick<Kit, 'pool'>,
  organizationId: string,
  ids: readonly string[],
): Promise<ReadonlySet<string>> {
  const { rows } = await pool.query<{ user_id: string }>(
    `select user_id from operational.access
     where organization_id = $1 and user_id = any($2) and is_active
       and (access_until is null or access_until > now())`,
    [organizationId, ids],
  );
  return new Set(rows.map(({ user_id }) => user_id));
}

type Steps = {
  readonly accounts: {
    /** The current address; null if the person has none. */
    emailOf(userId: string): Promise<string | null>;
  };
  readonly organizations: { nameOf(organizationId: string): Promise<string> };
};

/** Keeps the list of logs to publish, and mails what was published. */
export function keepPublishing(kit: Kit, { accounts, organizations }: Steps): Reaction {
  const { pool, mail, settings } = kit;

  async function schedule({ data, envelope }: StoredEvent) {
    const { organizationId, every } = CheckpointPublishingChanged.read(
      data,
      envelope.schemaVersion,
    );
    if (every === null) {
      await pool.query('delete from operational.checkpoint_schedules where organization_id = $1', [
        organizationId,
      ]);
      return;
    }
    await pool.query(
      `insert into operational.checkpoint_schedules (organization_id, every) values ($1, $2)
       on conflict (organization_id) do update set every = excluded.every`,
      [organizationId, every],
    );
  }

  async function mailOut({ data, envelope }: StoredEvent) {
    const event = CheckpointPublished.read(data, envelope.schemaVersion);
    const { organizationId, period, size, checkpoint, mailTo } = event;
    await pool.query(
      `update operational.checkpoint_schedules set published = greatest(published, $2)
       where organization_id = $1`,
      [organizationId, period],
    );
    const members = await membersAmong(kit, organizationId, mailTo);
    if (members.size === 0) return;
    const text = mailsEn.checkpoint({
      organization: await organizations.nameOf(organizationId),
      size,
      period,
      checkpoint,
      url: `${settings.publicUrl}/audit`,
    });
    for (const userId of members) {
      const to = await accounts.emailOf(userId);
      if (!to) continue;
      const id = derivedId(organizationId, userId, period, 'checkpoint');
      await mail.send({ id, organizationId, kind: 'notice', to, recipientId: userId, text });
    }
  }

  return reaction('publish-checkpoints', {
    [CheckpointPublishingChanged.type]: schedule,
    [CheckpointPublished.type]: mailOut,
  });
}
