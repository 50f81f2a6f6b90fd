import {
  type AuditCheckpoint,
  type AuditExport,
  EXPORT_KEPT_DAYS,
} from '@tallyhand/contracts/features/audit/audit-exports.endpoints';
import { AuditLogDiffers } from '@tallyhand/contracts/features/audit/audit-exports.refusals';
import { meantBy } from '@tallyhand/contracts/features/audit/audit-filter';
import { ReadModelsBehind, ValidationFailed } from '@tallyhand/contracts/kernel/problem';
import { isRefusal, type Refusal } from '@tallyhand/contracts/kernel/refusal';
import { checkpointIn } from '@tallyhand/service-kit/audit-bundle/checkpoint';
import { keysOf } from '@tallyhand/service-kit/audit-bundle/key-history';
import { signatureFault } from '@tallyhand/service-kit/audit-bundle/signed-text';
import { ANY_ORGANIZATION, MARK_LENGTH, searchQuery } from '@tallyhand/service-kit/audit-words';
import type { Position } from '@tallyhand/service-kit/event-store/position';
import { FairQueue, type FairQueueLimits } from '@tallyhand/service-kit/fair-queue';
import { errorFields } from '@tallyhand/service-kit/log';
import { pollUntil } from '@tallyhand/service-kit/poll-until';
import { inTenant } from '@tallyhand/service-kit/postgres/pool';
import { type TracedJob, tracedJob, withTrace } from '@tallyhand/service-kit/tracing/tracing';
import type pg from 'pg';
import type { Job, PgBoss } from 'pg-boss';
import type { Caller, Kit } from '../../kit/app.ts';
import { type CommandContext, idFor } from '../../kit/context.ts';
import { startJobWorker } from '../../kit/job-worker.ts';
import { announceJob, type JobQueue, type QueueWorker, within, workOn } from '../../kit/jobs.ts';
import { auditStream } from './audit.decider.ts';
import { storeDifference } from './audit-differences.ts';
import { writeExportInThread } from './export-thread.ts';
import { type LogFilter, logSize } from './log-pages.ts';
import { treeOf } from './log-trees.ts';
import type { ExportOrder } from './write-export.ts';

const FAILED_EXPORTS: JobQueue = {
  name: 'export-audit-failed',
  secondsMax: 60,
  repeated: 'until-it-passes',
};

/** Each uses a thread, perhaps for minutes. */
const EXPORT_LIMITS: FairQueueLimits = {
  concurrency: 3,
  concurrencyPerOrganization: 1,
  waitingMax: 0,
  waitingPerOrganizationMax: 0,
};

/** Millions of entries take minutes. */
export const EXPORT_QUEUE: JobQueue = {
  name: 'export-audit',
  secondsMax: 7_200,
  failures: FAILED_EXPORTS,
};

const READ_MODELS_WAIT_MS = 5_000;
const LOOK_MS = 50;
const DAY_MS = 86_400_000;

type Wanted = Pick<AuditExport, 'format'> & {
  readonly filter: { readonly [name: string]: string | undefined };
  readonly upTo?: number | undefined;
  readonly since?: AuditCheckpoint | undefined;
  readonly sinceSize?: number | undefined;
};

type ExportJob = TracedJob & Pick<ExportOrder, 'id' | 'organizationId'>;

/** The stored state of an export, besides its files. */
type ExportState = Omit<AuditExport, 'id' | 'bytes' | 'requestedBy'> & {
  readonly requestedBy: string;
  readonly earlier?: ExportOrder['earlier'];
};

/** Requests an export of the log up to the position `known`, and records it in the log. */
export async function requestExport(
  { kit, boss }: { readonly kit: Kit; readonly boss: PgBoss },
  { organizationId, userId }: Caller,
  context: CommandContext,
  { wanted, known }: { readonly wanted: Wanted; readonly known: Position },
): Promise<AuditExport | Refusal> {
  if (!(await kit.readPosition.reached(known, READ_MODELS_WAIT_MS))) {
    return ReadModelsBehind({});
  }
  const difference = await storeDifference(kit.pool, organizationId);
  if (difference) return AuditLogDiffers(difference);
  const size = await agreedSize(kit.pool, organizationId);
  if (size === null) return ReadModelsBehind({});
  const { format, upTo = size } = wanted;
  if (upTo > size) return beyondTheEnd('upTo', size);
  const earlier = await earlierOf(kit, organizationId, upTo, wanted);
  if (isRefusal(earlier)) return earlier;
  const id = idFor(context, 'audit-export');
  const given = Object.entries(wanted.filter).filter(([, value]) => value !== undefined);
  const filter = Object.fromEntries(given) as Record<string, string>;
  const recorded = await kit.streams.of(auditStream).send(
    organizationId,
    {
      type: 'RecordExport',
      data: { organizationId, exportId: id, format, filter, upTo },
    },
    context,
  );
  if (isRefusal(recorded)) return recorded;
  const createdAt = context.now.toISOString();
  const expiresAt = new Date(context.now.getTime() + EXPORT_KEPT_DAYS * DAY_MS).toISOString();
  const since = sizeOf(earlier);
  const state = { status: 'queued', format, filter, upTo, since, done: 0, rows: 0 } as const;
  const kept: ExportState = { ...state, earlier, requestedBy: userId, createdAt, expiresAt };
  const job: ExportJob = { id, organizationId };
  await inTenant(kit.pool, organizationId, async (client) => {
    await client.query(
      `insert into operational.audit_exports (export_id, organization_id, state, expires_at)
       values ($1, $2, $3, $4) on conflict do nothing`,
      [id, organizationId, JSON.stringify(kept), expiresAt],
    );
    const group = { id: organizationId };
    await boss.send(EXPORT_QUEUE.name, withTrace(job), { ...within(client), id, group });
    await announceJob(client, EXPORT_QUEUE);
  });
  return {
    ...state,
    id,
    bytes: null,
    requestedBy: { id: userId, name: null },
    createdAt,
    expiresAt,
  };
}

/**
 * The size of the log once rows and tree both have it, so that a checkpoint of the tree is one of the
 * rows, too; null if one of them stays behind.
 */
async function agreedSize(pool: pg.Pool, organizationId: string): Promise<number | null> {
  const waits = { everyMs: LOOK_MS, maxMs: READ_MODELS_WAIT_MS };
  const { size: least } = await treeOf(pool, organizationId);
  let size = await logSize(pool, organizationId);
  return pollUntil(async () => {
    // In a log that grows all the time, the tree need not catch up with the newest row.
    if (size < least) size = await logSize(pool, organizationId);
    return size >= least && (await treeOf(pool, organizationId)).size >= size ? size : null;
  }, waits);
}

/**
 * Makes exports, in turns by organization, until it is disposed of. `url`: the database, with the
 * rights of the command service.
 */
export async function workOnExports(boss: PgBoss, kit: Kit, url: string): Promise<QueueWorker> {
  await workOn<ExportJob>(boss, FAILED_EXPORTS, ({ data }) => giveUp(kit, data));
  const { name: queue } = EXPORT_QUEUE;
  const run = (job: Job<ExportJob>) => tracedJob(queue, job.data, () => runExport(kit, url, job));
  const turns = new FairQueue('exports', EXPORT_LIMITS);
  return startJobWorker<ExportJob>({ boss, queue, turns, log: kit.log, run });
}

async function giveUp({ pool }: Kit, { id, organizationId }: ExportJob) {
  await inTenant(pool, organizationId, (client) =>
    client.query(
      `update operational.audit_exports set state = state || '{"status": "failed"}'
       where export_id = $1 and state ->> 'status' <> 'finished'`,
      [id],
    ),
  );
}

async function runExport(kit: Kit, url: string, { data, signal }: Job<ExportJob>) {
  const { id, organizationId } = data;
  const { rows } = await inTenant(kit.pool, organizationId, (client) =>
    client.query<{ state: ExportState }>(
      'select state from operational.audit_exports where export_id = $1',
      [id],
    ),
  );
  const state = rows[0]?.state;
  if (!state || state.status === 'finished') return;
  const { format, filter, upTo, earlier = null } = state;
  try {
    const order = { id, organizationId, format, filter, upTo, earlier };
    const { auditKey } = kit.settings;
    const task = { url, auditKey, order, filter: logFilterOf(organizationId, filter) };
    await writeExportInThread(task, signal);
  } catch (error) {
    kit.log.error('an audit export failed', { id, ...errorFields(error) });
    throw error;
  }
}

/** Translates the API's filter for the read model. */
export function logFilterOf(organizationId: string, given: AuditExport['filter']): LogFilter {
  const { from, to, actor, kind, object, q } = given;
  const mark = organizationId.slice(-MARK_LENGTH);
  return {
    from: from ?? null,
    to: to ?? null,
    object: object ?? null,
    ...meantBy({ actor, kind }),
    words: q?.trim() ? searchQuery(q).replaceAll(`'${ANY_ORGANIZATION}:`, `'${mark}:`) : null,
  };
}

const sizeOf = (earlier: ExportOrder['earlier']): number | null =>
  typeof earlier === 'object' ? earlier && (checkpointIn(earlier)?.size ?? null) : earlier;

/** What an export continues from, as requested. */
async function earlierOf(
  { auditSigning }: Kit,
  organizationId: string,
  upTo: number,
  { since, sinceSize }: Wanted,
): Promise<ExportOrder['earlier'] | Refusal> {
  if (sinceSize !== undefined) {
    if (since) return invalid('sinceSize', "sinceSize can't be combined with since");
    return sinceSize > upTo ? beyondTheEnd('sinceSize', upTo) : sinceSize;
  }
  if (!since) return null;
  const checkpoint = checkpointIn(since);
  if (!checkpoint) return invalid('since', 'since must be a checkpoint');
  if (checkpoint.organizationId !== organizationId) {
    return invalid('since', 'since is a checkpoint of another organization');
  }
  if (signatureFault(keysOf(await auditSigning.history()), since) !== null) {
    return invalid('since', 'since is not signed with an audit key of this installation');
  }
  return checkpoint.size > upTo ? beyondTheEnd('since', upTo) : since;
}

const beyondTheEnd = (path: string, size: number): Refusal =>
  invalid(path, `${path} is beyond the last entry of the audit log, which is ${size}`);

const invalid = (path: string, message: string): Refusal =>
  ValidationFailed({ summary: `${message}.` }, [{ path, message }]);
