import { setTimeout as rest } from 'node:timers/promises';
import type { OutboundPolicy } from '@tallyhand/agent-runtime/guard/destination';
import { OutboundFailed, OutboundRefused } from '@tallyhand/agent-runtime/guard/outbound-errors';
import type { LogStreamKind } from '@tallyhand/contracts/features/audit/log-stream.endpoints';
import { OrganizationClosed } from '@tallyhand/contracts/features/organizations/organizations.events';
import { derivedId } from '@tallyhand/service-kit/crypto/ids';
import { FairQueue } from '@tallyhand/service-kit/fair-queue';
import { errorFields } from '@tallyhand/service-kit/log';
import { counter } from '@tallyhand/service-kit/metrics/counter';
import { inTenant } from '@tallyhand/service-kit/postgres/pool';
import { followReadModels } from '@tallyhand/service-kit/postgres/read-position';
import type { Kit } from '../../kit/app.ts';
import { attempt } from '../../kit/attempt.ts';
import { backgroundContext } from '../../kit/context.ts';
import { outboundPolicyOf } from '../../kit/outbound.ts';
import { signedHeaders } from '../../kit/webhook-signature.ts';
import { auditStream } from './audit.decider.ts';
import { openReceiver, type Receiver } from './log-streams.ts';
import {
  type OcsfRecord,
  ocsfOf,
  ocsfOfCheckpoint,
  type StreamedCheckpoint,
  type StreamedEntry,
} from './ocsf.ts';
import { sendToSyslog } from './send-to-syslog.ts';

const batches = counter({
  name: 'tallyhand_log_stream_batches_total',
  help: 'Batches of the audit log that were sent to a receiver, by outcome; failed ones are repeated.',
  known: ['delivered', 'failed'].map((outcome) => ({ outcome })),
});

export type LogStreamTimes = {
  /** How often streams are looked at that failed before. */
  readonly lookMs: number;
  /** How often all are looked at: a checkpoint is signed without a change of the log. */
  readonly sweepMs: number;
  /** The pause after the first failed attempt; each further one doubles it. */
  readonly retryMs: number;
  readonly retryMsMax: number;
  readonly answerMs: number;
  /** Admins are told if all attempts fail for so long. */
  readonly failingMs: number;
};

const [SECOND, MINUTE] = [1_000, 60_000];
export const LOG_STREAM_TIMES: LogStreamTimes = {
  lookMs: SECOND,
  sweepMs: 30 * SECOND,
  retryMs: 5 * SECOND,
  retryMsMax: 10 * MINUTE,
  answerMs: 20 * SECOND,
  failingMs: 60 * MINUTE,
};

/** Changes within this time are handled together. */
const REST_MS = 100;
/** Of one batch. The first entry is sent even if it is longer. */
const ENTRIES_MAX = 500;
const BYTES_MAX = 1_000_000;
const CHECKPOINTS_MAX = 50;

/** A batch takes as long as its receiver hangs. Each organization has one stream. */
const LIMITS = { concurrency: 16, concurrencyPerOrganization: 1, waitingMax: 0 };

type Stream = {
  readonly organization_id: string;
  readonly stream_id: string;
  readonly kind: LogStreamKind;
  readonly origin: string;
  readonly receiver: Buffer;
  readonly sequence: string;
  readonly checkpoint: string;
  readonly failures: number;
};

/**
 * Sends the entries of audit logs to the receivers that organizations have chosen, until it is
 * disposed of. Run only one. Each stream has one batch on its way at a time, so its entries arrive in
 * order; a batch whose arrival is unknown is sent again. Streams take turns, a batch each.
 */
export async function streamLogs(
  kit: Kit,
  url: string,
  times: LogStreamTimes = LOG_STREAM_TIMES,
): Promise<AsyncDisposable> {
  const { pool, log } = kit;
  const policy = outboundPolicyOf(kit.settings);
  const turns = new FairQueue('log-streams', { ...LIMITS, waitingPerOrganizationMax: 0 });
  const stopping = new AbortController();
  const { signal } = stopping;
  const changed = new Set<string>();
  const running = new Map<string, Promise<void>>();
  let isAllWanted = true;
  let looking: Promise<void> | null = null;

  async function look() {
    const organizations = isAllWanted ? null : [...changed];
    isAllWanted = false;
    changed.clear();
    const { rows } = await pool.query<{ organization_id: string }>(
      `select organization_id from operational.log_streams
       where next_at <= now() and (failures > 0 or $1::uuid[] is null or organization_id = any($1))`,
      [organizations],
    );
    for (const { organization_id: id } of rows) begin(id);
  }

  function want() {
    looking ??= look()
      .catch((error) => {
        isAllWanted = true;
        log.warn('log streams were not fetched', errorFields(error));
      })
      .then(() => rest(REST_MS))
      .finally(() => {
        looking = null;
        if (changed.size > 0 && !signal.aborted) want();
      });
  }

  function begin(organizationId: string) {
    if (signal.aborted) return;
    if (running.has(organizationId)) {
      // It may have been read before the change.
      changed.add(organizationId);
      return;
    }
    const work = () => sendNext({ kit, policy, times, signal }, organizationId);
    const ended = turns
      .run(organizationId, work, { isRefusable: false })
      .catch((error) => {
        log.error('a log was not streamed', { organizationId, ...errorFields(error) });
        return false;
      })
      .then((hasMore) => {
        running.delete(organizationId);
        if (hasMore || changed.delete(organizationId)) begin(organizationId);
      });
    running.set(organizationId, ended);
  }

  const following = await followReadModels({
    url,
    log,
    onChange(changes) {
      if (!changes) isAllWanted = true;
      for (const { organizationId } of changes ?? []) changed.add(organizationId);
      if (isAllWanted || changed.size > 0) want();
    },
  });
  const timers = [
    setInterval(want, times.lookMs),
    setInterval(() => {
      isAllWanted = true;
      want();
    }, times.sweepMs),
  ];
  return {
    async [Symbol.asyncDispose]() {
      stopping.abort();
      for (const timer of timers) clearInterval(timer);
      await following[Symbol.asyncDispose]();
      await looking;
      await Promise.all(running.values());
    },
  };
}

type Work = {
  readonly kit: Kit;
  readonly policy: OutboundPolicy;
  readonly times: LogStreamTimes;
  readonly signal: AbortSignal;
};

/** Sends one batch, if there is one. Returns whether there may be another. */
async function sendNext(work: Work, organizationId: string): Promise<boolean> {
  const { pool, box } = work.kit;
  const { rows } = await pool.query<Stream>(
    `select organization_id, stream_id, kind, origin, receiver, sequence, checkpoint, failures
     from operational.log_streams where organization_id = $1 and next_at <= now()`,
    [organizationId],
  );
  const stream = rows[0];
  if (!stream) return false;
  const batch = await batchAfter(work.kit, stream);
  if (batch.records.length === 0) return false;
  const receiver = openReceiver(box, stream.stream_id, stream.receiver);
  const failure = await send(work, stream, receiver, batch);
  // This process is stopping: the attempt says nothing about the receiver.
  if (failure !== null && work.signal.aborted) return false;
  batches.add({ outcome: failure === null ? 'delivered' : 'failed' });
  if (failure === null) return noteDelivered(work.kit, stream, batch);
  await noteFailed(work, stream, failure);
  return false;
}

type Batch = {
  readonly records: readonly OcsfRecord[];
  readonly sequence: number;
  readonly checkpoint: number;
  /** Nothing follows in this log. */
  readonly isLast: boolean;
};

/** Entries, and the checkpoints that bind what was sent before or is in this batch. */
async function batchAfter({ pool }: Kit, stream: Stream): Promise<Batch> {
  const { organization_id: organizationId } = stream;
  return inTenant(pool, organizationId, async (client) => {
    const { rows } = await client.query<StreamedEntry>(ENTRIES, [
      organizationId,
      stream.sequence,
      ENTRIES_MAX,
      BYTES_MAX,
    ]);
    const entries = rows.map((row) => ({ ...row, sequence: Number(row.sequence) }));
    const sequence = entries.at(-1)?.sequence ?? Number(stream.sequence);
    const { rows: signed } = await client.query<StreamedCheckpoint>(
      `select organization_id as "organizationId", size, made_at as at, signed
       from operational.audit_checkpoints
       where organization_id = $1 and size > $2 and size <= $3 order by size limit $4`,
      [organizationId, stream.checkpoint, sequence, CHECKPOINTS_MAX],
    );
    const checkpoints = signed.map((row) => ({
      ...row,
      size: Number(row.size),
      at: new Date(row.at).toISOString(),
    }));
    return {
      records: [...entries.map(ocsfOf), ...checkpoints.map(ocsfOfCheckpoint)],
      sequence,
      checkpoint: checkpoints.at(-1)?.size ?? Number(stream.checkpoint),
      isLast: entries.some(({ type }) => type === OrganizationClosed.type),
    };
  });
}

const ENTRIES = `
  select a.organization_id as "organizationId", a.sequence, a.event_id as id, a.type,
    a.schema_version as "schemaVersion",
    to_char(a.at at time zone 'UTC', 'YYYY-MM-DD"T"HH24:MI:SS.MS"Z"') as at, a.stream,
    json_build_object('kind', a.object_kind, 'id', a.object_id) as object,
    json_build_object('kind', a.actor_kind, 'id', a.actor_id, 'name', m.username, 'email', m.email)
      as actor,
    a.sign_in_id as "signInId", a.revealed->>'sourceAddress' as address,
    a.correlation_id as "correlationId", a.causation_id as "causationId",
    a.command_id as "commandId", f.data, encode(a.leaf, 'base64') as leaf
  from read_model.sent_events_after($2, null, null, $3, $4) f
  join read_model.audit_entries a on a.organization_id = $1 and a.sequence = f.sequence
  left join read_model.members m on m.organization_id = $1 and a.actor_kind = 'member'
    and m.user_id::text = a.actor_id
  order by f.sequence`;

/** Null when the receiver has accepted the batch, otherwise why it has not, for people. */
async function send(
  { kit, policy, times, signal }: Work,
  { organization_id: organizationId, kind, sequence, checkpoint }: Stream,
  { address, secret, token, certificateAuthority }: Receiver,
  { records }: Batch,
): Promise<string | null> {
  const answerMs = times.answerMs;
  const { publicUrl } = kit.settings;
  const from = new URL(publicUrl).hostname;
  switch (kind) {
    case 'webhook': {
      const body = JSON.stringify(records);
      const id = derivedId(organizationId, sequence, checkpoint, 'log-stream');
      const timestamp = Math.floor(Date.now() / 1000);
      const headers = signedHeaders({ id, timestamp, body }, secret ? [secret] : []);
      return (await attempt({ url: address, headers, body }, policy, { answerMs, signal })).error;
    }
    case 'splunk': {
      const body = records.map((record) => JSON.stringify(inSplunk(record, from))).join('\n');
      const url = new URL(address);
      if (url.pathname === '/') url.pathname = '/services/collector/event';
      const headers = { authorization: `Splunk ${token}` };
      return (await attempt({ url: url.href, headers, body }, policy, { answerMs, signal })).error;
    }
    case 'syslog': {
      const destination = {
        url: new URL(address),
        certificateAuthority: certificateAuthority ?? undefined,
        from,
      };
      const within = AbortSignal.any([signal, AbortSignal.timeout(answerMs)]);
      try {
        await sendToSyslog(destination, records, policy, within);
        return null;
      } catch (error) {
        if (error instanceof OutboundFailed || error instanceof OutboundRefused) {
          return error.message;
        }
        if (within.aborted) return 'The receiver did not answer in time.';
        throw error;
      }
    }
  }
}

/** As its HTTP Event Collector takes it: the time in seconds. */
const inSplunk = (event: OcsfRecord, host: string) => ({
  time: event.time / 1000,
  host,
  source: 'tallyhand',
  sourcetype: '_json',
  event,
});

async function noteDelivered(
  { pool }: Kit,
  { organization_id, stream_id }: Stream,
  { sequence, checkpoint, isLast }: Batch,
): Promise<boolean> {
  if (isLast) {
    await pool.query('delete from operational.log_streams where stream_id = $1', [stream_id]);
    return false;
  }
  const { rowCount } = await pool.query(
    `update operational.log_streams set sequence = $3, checkpoint = $4, delivered_at = now(),
       failures = 0, failing_since = null, failure = null
     where organization_id = $1 and stream_id = $2`,
    [organization_id, stream_id, sequence, checkpoint],
  );
  return rowCount !== 0;
}

async function noteFailed({ kit, times }: Work, stream: Stream, failure: string): Promise<void> {
  const { organization_id: organizationId, stream_id, kind, origin, failures } = stream;
  const pauseMs = Math.min(times.retryMs * 2 ** Math.min(failures, 20), times.retryMsMax);
  const { rows } = await kit.pool.query<{ since: Date; is_long: boolean }>(
    `update operational.log_streams set failures = failures + 1, failure = $3,
       failing_since = coalesce(failing_since, now()),
       next_at = now() + make_interval(secs => $4)
     where organization_id = $1 and stream_id = $2
     returning failing_since as since,
       failing_since <= now() - make_interval(secs => $5) as is_long`,
    [organizationId, stream_id, failure, pauseMs / 1000, times.failingMs / 1000],
  );
  const noted = rows[0];
  if (!noted?.is_long) return;
  const since = noted.since.toISOString();
  const data = { organizationId, kind, origin, since, failure };
  const commandId = derivedId(stream_id, since, 'failing');
  const context = backgroundContext('worker', organizationId, { commandId });
  const audits = kit.streams.of(auditStream);
  await audits.send(organizationId, { type: 'RecordFailingLogStream', data }, context);
}
