import type { OutboundPolicy } from '@tallyhand/agent-runtime/guard/destination';
import { withDeadline } from '@tallyhand/agent-runtime/with-deadline';
import type { LogStreamKind } from '@tallyhand/contracts/features/audit/log-stream.endpoints';
import { OrganizationClosed } from '@tallyhand/contracts/features/organizations/organizations.events';
import { derivedId } from '@tallyhand/service-kit/crypto/ids';
import { errorFields } from '@tallyhand/service-kit/log';
import { counter } from '@tallyhand/service-kit/metrics/counter';
import { inTenant } from '@tallyhand/service-kit/postgres/pool';
import type { Kit } from '../../kit/app.ts';
import { attempt } from '../../kit/attempt.ts';
import { backgroundContext } from '../../kit/context.ts';
import { outboundPolicyOf } from '../../kit/outbound.ts';
import { type Reaction, reaction } from '../../kit/reactions.ts';
import { recurring } from '../../kit/recurring.ts';
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
  /** How often is looked for streams that have something to send. */
  readonly lookMs: number;
  /** The pause after the first failed attempt; each further one doubles it. */
  readonly retryMs: number;
  readonly retryMsMax: number;
  readonly answerMs: number;
  /** Admins are told if all attempts fail for so long. */
  readonly failingMs: number;
};

const [SECOND, MINUTE] = [1_000, 60_000];
export const LOG_STREAM_TIMES: LogStreamTimes = {
  lookMs: 2 * SECOND,
  retryMs: 5 * SECOND,
  retryMsMax: 10 * MINUTE,
  answerMs: 20 * SECOND,
  failingMs: 60 * MINUTE,
};

/** Of one batch; the first entry is sent even if it is longer. */
const BYTES_MAX = 700_000;
const CHECKPOINTS_MAX = 50;
const TOO_LARGE = 413;
const FAULT = 'The server had a fault, which it has logged.';

/** Places for receivers that answer, and for those that failed or took long. */
const PLACES = { sound: 12, troubled: 4 };
const SLOW_MS = 5_000;
/** A stream that has more to send then lets others go first. */
const TURN_MS = 2_000;

type Stream = {
  readonly organization_id: string;
  readonly stream_id: string;
  readonly kind: LogStreamKind;
  readonly origin: string;
  readonly receiver: Buffer;
  readonly sequence: string;
  readonly checkpoint: string;
  readonly batch_max: number;
  readonly is_troubled: boolean;
  readonly failures: number;
};

/** As many streams with something to send as there are places, those first that waited longest. */
const DUE = `
  select s.* from unnest($1::boolean[], $2::int[]) f (is_troubled, places)
  cross join lateral (
    select s.organization_id, s.stream_id, s.kind, s.origin, s.receiver, s.sequence, s.checkpoint,
      s.batch_max, s.is_troubled, s.failures
    from operational.log_streams s join operational.audit_trees t using (organization_id)
    where s.next_at <= now() and s.is_troubled = f.is_troubled
      and s.organization_id <> all($3::uuid[])
      and (t.size > s.sequence or (t.unsigned_since is null and t.size > s.checkpoint))
    order by s.next_at limit f.places) s`;

/**
 * Sends the entries of audit logs to the receivers that organizations have chosen, until it is
 * disposed of. Run only one. Each stream has one batch on its way at a time, so its entries arrive in
 * order; a batch whose arrival is unknown is sent again. Streams take turns, a batch each.
 */
export function streamLogs(kit: Kit, times: LogStreamTimes = LOG_STREAM_TIMES): AsyncDisposable {
  const { pool, log } = kit;
  const policy = outboundPolicyOf(kit.settings);
  /** By organization. */
  const running = new Map<
    string,
    { readonly isTroubled: boolean; readonly ended: Promise<void> }
  >();

  function begin(stream: Stream, signal: AbortSignal) {
    const { organization_id: organizationId, is_troubled: isTroubled } = stream;
    const work = { kit, policy, times, signal };
    const ended = takeTurn(work, stream)
      .catch((error) =>
        log.error('a log was not streamed', { organizationId, ...errorFields(error) }),
      )
      .finally(() => running.delete(organizationId));
    running.set(organizationId, { isTroubled, ended });
  }

  const { lookMs: everyMs } = times;
  const looking = recurring(
    { everyMs, failed: 'log streams were not fetched', log },
    async (stop) => {
      const free = [false, true].map((isTroubled) => {
        const taken = [...running.values()].filter((one) => one.isTroubled === isTroubled).length;
        return PLACES[isTroubled ? 'troubled' : 'sound'] - taken;
      });
      const { rows } = await pool.query<Stream>(DUE, [[false, true], free, [...running.keys()]]);
      if (!stop.aborted) for (const stream of rows) begin(stream, stop);
    },
  );
  return {
    async [Symbol.asyncDispose]() {
      await looking[Symbol.asyncDispose]();
      await Promise.all([...running.values()].map(({ ended }) => ended));
    },
  };
}

type Work = {
  readonly kit: Kit;
  readonly policy: OutboundPolicy;
  readonly times: LogStreamTimes;
  readonly signal: AbortSignal;
};

type Delivered = {
  readonly failure: null;
  readonly sequence: number;
  readonly checkpoint: number;
  readonly hasMore: boolean;
};
type Refused = { readonly failure: string; readonly isTooLarge: boolean };
/** Null: there was nothing to send. */
type Sent = Delivered | (Refused & { readonly entries: number }) | null;

/** The turn of a stream: sends batches, and notes after each how that ended. */
async function takeTurn(work: Work, taken: Stream): Promise<void> {
  const { kit, signal } = work;
  const began = performance.now();
  for (let stream = taken; !signal.aborted; ) {
    const begun = performance.now();
    const sent = await sendBatch(work, stream);
    // This process is stopping: the attempt says nothing about the receiver.
    if (sent === null || (sent.failure !== null && signal.aborted)) return;
    batches.add({ outcome: sent.failure === null ? 'delivered' : 'failed' });
    if (sent.failure !== null) {
      if (sent.isTooLarge && sent.entries > 1) return noteTooLarge(kit, stream, sent.entries);
      return noteFailed(work, stream, sent.failure);
    }
    const isSlow = performance.now() - begun > SLOW_MS;
    const isCurrent = await noteDelivered(kit, stream, sent, isSlow);
    if (!isCurrent || !sent.hasMore || performance.now() - began > TURN_MS) return;
    const { sequence, checkpoint } = sent;
    stream = { ...stream, sequence: String(sequence), checkpoint: String(checkpoint) };
  }
}

async function sendBatch(work: Work, stream: Stream): Promise<Sent> {
  const { box, log } = work.kit;
  const { organization_id: organizationId } = stream;
  let entries = 0;
  try {
    const { records, ...batch } = await batchAfter(work.kit, stream);
    if (records.length === 0) return null;
    entries = batch.entries;
    const receiver = openReceiver(box, stream.stream_id, stream.receiver);
    const refused = await send(work, stream, receiver, { records, ...batch });
    return refused === null ? { failure: null, ...batch } : { ...refused, entries };
  } catch (error) {
    if (!work.signal.aborted) {
      log.error('a log was not streamed', { organizationId, ...errorFields(error) });
    }
    return { failure: FAULT, isTooLarge: false, entries };
  }
}

type Batch = {
  readonly records: readonly OcsfRecord[];
  readonly entries: number;
  /** Of the newest entry and checkpoint that the receiver then has. */
  readonly sequence: number;
  readonly checkpoint: number;
  readonly hasMore: boolean;
};

/** Entries, and the checkpoints that bind what was sent before or is in this batch. */
async function batchAfter({ pool }: Kit, stream: Stream): Promise<Batch> {
  const { organization_id: organizationId, batch_max } = stream;
  return inTenant(pool, organizationId, async (client) => {
    const asked = [organizationId, stream.sequence, batch_max, BYTES_MAX];
    const { rows } = await client.query<StreamedEntry>(ENTRIES, asked);
    const entries: OcsfRecord[] = [];
    let sequence = Number(stream.sequence);
    let bytes = 0;
    for (const row of rows) {
      // The rows may not all be there yet, as while the log is being rebuilt.
      if (Number(row.sequence) !== sequence + 1) break;
      const record = ocsfOf({ ...row, sequence: sequence + 1 });
      bytes += Buffer.byteLength(JSON.stringify(record));
      if (bytes > BYTES_MAX && entries.length > 0) break;
      entries.push(record);
      sequence += 1;
    }
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
      records: [...entries, ...checkpoints.map(ocsfOfCheckpoint)],
      entries: entries.length,
      sequence,
      checkpoint: checkpoints.at(-1)?.size ?? Number(stream.checkpoint),
      hasMore: rows.length === batch_max || entries.length < rows.length,
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
  { stream_id, kind, sequence: after, checkpoint: since }: Stream,
  { address, secret, token, certificateAuthority }: Receiver,
  { records, sequence, checkpoint }: Batch,
): Promise<Refused | null> {
  const { answerMs } = times;
  const from = new URL(kit.settings.publicUrl).hostname;
  const post = async (url: string, headers: Record<string, string>, body: string) => {
    const { error, status } = await attempt({ url, headers, body }, policy, { answerMs, signal });
    return error === null ? null : { failure: error, isTooLarge: status === TOO_LARGE };
  };
  switch (kind) {
    case 'webhook': {
      const body = JSON.stringify(records);
      // Names what is in it: a receiver may ignore an id that it knows.
      const id = derivedId(stream_id, after, since, `${sequence} ${checkpoint}`);
      const timestamp = Math.floor(Date.now() / 1000);
      const headers = signedHeaders({ id, timestamp, body }, secret ? [secret] : []);
      return post(address, headers, body);
    }
    case 'splunk': {
      const url = new URL(address);
      if (url.pathname === '/') url.pathname = '/services/collector/event';
      const body = records.map((record) => JSON.stringify(inSplunk(record, from))).join('\n');
      return post(url.href, { authorization: `Splunk ${token}` }, body);
    }
    case 'syslog': {
      const url = new URL(address);
      const within = withDeadline(signal, answerMs);
      const authority = certificateAuthority ?? undefined;
      const destination = { url, certificateAuthority: authority, from };
      const failure = await sendToSyslog(destination, records, policy, within);
      return failure === null ? null : { failure, isTooLarge: false };
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

/** What follows is noted only if the stream is still where this batch began. */
const SAME = 'organization_id = $1 and stream_id = $2 and sequence = $3 and checkpoint = $4';
const same = ({ organization_id, stream_id, sequence, checkpoint }: Stream) => [
  organization_id,
  stream_id,
  sequence,
  checkpoint,
];

async function noteDelivered(
  { pool }: Kit,
  stream: Stream,
  { sequence, checkpoint }: Delivered,
  isSlow: boolean,
): Promise<boolean> {
  const { rowCount } = await pool.query(
    `update operational.log_streams set sequence = $5, checkpoint = $6, is_troubled = $7,
       delivered_at = now(), failures = 0, failing_since = null, failure = null, next_at = now()
     where ${SAME}`,
    [...same(stream), sequence, checkpoint, isSlow],
  );
  return rowCount === 1;
}

/** The next attempt has half as many entries, and so have those after it. */
async function noteTooLarge({ pool }: Kit, stream: Stream, entries: number): Promise<void> {
  await pool.query(`update operational.log_streams set batch_max = $5 where ${SAME}`, [
    ...same(stream),
    Math.ceil(entries / 2),
  ]);
}

async function noteFailed({ kit, times }: Work, stream: Stream, failure: string): Promise<void> {
  const { organization_id: organizationId, stream_id, kind, origin, failures } = stream;
  const pauseMs = Math.min(times.retryMs * 2 ** Math.min(failures, 20), times.retryMsMax);
  const { rows } = await kit.pool.query<{ since: Date; is_long: boolean }>(
    `update operational.log_streams set failures = failures + 1, failure = $5, is_troubled = true,
       failing_since = coalesce(failing_since, now()),
       next_at = now() + make_interval(secs => $6)
     where ${SAME}
     returning failing_since as since,
       failing_since <= now() - make_interval(secs => $7) as is_long`,
    [...same(stream), failure, pauseMs / 1000, times.failingMs / 1000],
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

/** Days in which the rest of a closed organization's log is sent, with its last checkpoint. */
const CLOSED_DAYS = 7;

/** A stream ends some time after its organization: no member is left who could end it. */
export const endLogStreams = ({ pool }: Pick<Kit, 'pool'>): Reaction =>
  reaction('end-log-streams', {
    [OrganizationClosed.type]: async ({ envelope }) => {
      await pool.query(
        `update operational.log_streams set ends_at = now() + make_interval(days => $2)
         where organization_id = $1`,
        [envelope.organizationId, CLOSED_DAYS],
      );
    },
  });
