import type { OutboundPolicy } from '@tallyhand/agent-runtime/guard/destination';
import type { RecordedEvent } from '@tallyhand/contracts/features/audit/audit.endpoints';
import { FairQueue, type FairQueueLimits } from '@tallyhand/service-kit/fair-queue';
import { counter } from '@tallyhand/service-kit/metrics/counter';
import { inTenant } from '@tallyhand/service-kit/postgres/pool';
import { placeOfEvent } from '@tallyhand/service-kit/tracing/event-spans';
import { tracedFrom } from '@tallyhand/service-kit/tracing/tracing';
import type pg from 'pg';
import type { Kit } from '../../kit/app.ts';
import { type Attempted, attempt } from '../../kit/attempt.ts';
import { backgroundContext } from '../../kit/context.ts';
import { startDispatcher } from '../../kit/dispatcher.ts';
import { outboundPolicyOf } from '../../kit/outbound.ts';
import { signedHeaders } from '../../kit/webhook-signature.ts';
import { type DeliveryRow, openSecret } from './webhook-rows.ts';
import { DELIVERIES_CHANNEL, type Webhooks } from './webhooks.ts';

const attempts = counter({
  name: 'tallyhand_webhook_attempts_total',
  help: 'Attempts to deliver to webhooks, by outcome; retried ones are repeated later.',
  known: ['delivered', 'retried', 'given_up'].map((outcome) => ({ outcome })),
});

/** When deliveries are retried and given up, in milliseconds. */
export type WebhookTimes = {
  /** The pause after each failed attempt; after the last one it is given up. */
  readonly retryMs: readonly number[];
  readonly answerMs: number;
  /** A webhook is disabled if all attempts fail for so long. */
  readonly failingMs: number;
  /** How often due deliveries are looked for; new ones are announced. */
  readonly lookMs: number;
};

const [SECOND, MINUTE, HOUR] = [1_000, 60_000, 3_600_000];

/** As Standard Webhooks advises: at once, and then for three days. */
export const WEBHOOK_TIMES: WebhookTimes = {
  retryMs: [
    5 * SECOND,
    5 * MINUTE,
    30 * MINUTE,
    2 * HOUR,
    5 * HOUR,
    10 * HOUR,
    14 * HOUR,
    20 * HOUR,
    20 * HOUR,
  ],
  answerMs: 10 * SECOND,
  failingMs: 5 * 24 * HOUR,
  lookMs: 5 * SECOND,
};

/** Deliveries given up in a row before a webhook is disabled. */
const GIVEN_UP_MAX = 50;
/** A delivery takes as long as its receiver hangs. */
const LIMITS: FairQueueLimits = {
  concurrency: 16,
  concurrencyPerOrganization: 6,
  waitingMax: 0,
  waitingPerOrganizationMax: 0,
};
const AT_ONCE_PER_WEBHOOK_MAX = 2;
const ATTEMPTS_KEPT_MAX = 20;
/** The delay if the event can't be read, because the log is being rebuilt. */
const UNREADABLE_MS = 30 * SECOND;
/** The delay if an outcome could not be stored, as while the database is away. */
const STRAY_MS = 30 * SECOND;
const GONE = 410;

type Taken = DeliveryRow & {
  readonly url: string;
  readonly secret: Buffer;
  readonly old_secret: Buffer | null;
};

/** Sends due deliveries until it is disposed of. Run only one. */
export async function sendDeliveries(
  kit: Kit,
  url: string,
  webhooks: Pick<Webhooks, 'disable'>,
  times: WebhookTimes = WEBHOOK_TIMES,
): Promise<AsyncDisposable> {
  const { pool, log } = kit;
  const work = { kit, webhooks, policy: outboundPolicyOf(kit.settings), times };
  // The worker that claimed these is gone. They may not have arrived: send them again.
  await pool.query(
    `update operational.webhook_deliveries set state = 'waiting' where state = 'sending'`,
  );
  return startDispatcher<Taken>({
    url,
    channel: DELIVERIES_CHANNEL,
    log,
    turns: new FairQueue('webhooks', LIMITS),
    lookMs: times.lookMs,
    graceMs: 0,
    async claim(limit) {
      const { rows } = await pool.query<Taken>(TAKE, [
        AT_ONCE_PER_WEBHOOK_MAX,
        limit,
        LIMITS.concurrencyPerOrganization,
      ]);
      return rows;
    },
    putBackOthers: (running) => pool.query(PUT_BACK_STRAY, [running, STRAY_MS / 1000]),
    isRepeatable: true,
    idOf: ({ delivery_id }) => delivery_id,
    organizationOf: ({ organization_id }) => organization_id,
    run: (taken, signal) => deliver({ ...work, signal }, taken),
    messages: {
      notClaimed: 'due deliveries were not fetched',
      notRecorded: 'the outcome of a delivery was not recorded',
    },
  });
}

/** They may have arrived or not: they are sent again, like those of a process that died. */
const PUT_BACK_STRAY = `
  update operational.webhook_deliveries
  set state = 'waiting', next_at = now() + make_interval(secs => $2)
  where state = 'sending' and delivery_id <> all($1::uuid[])`;

/**
 * In turns by organization, with a cap for each. Only a few of each webhook at once, so that a
 * hanging receiver does not delay others.
 */
const TAKE = `
  with sending as (
    select organization_id, count(*) as count from operational.webhook_deliveries
    where state = 'sending' group by organization_id),
  ranked as (
    select d.delivery_id, d.next_at, d.created_at, w.url, w.secret,
      case when w.old_secret_until > now() then w.old_secret end as old_secret,
      coalesce(s.count, 0) + row_number() over (
        partition by w.organization_id order by d.next_at, d.created_at, d.delivery_id) as turn
    from operational.webhooks w
    cross join lateral (
      select p.delivery_id, p.next_at, p.created_at from operational.webhook_deliveries p
      where p.webhook_id = w.webhook_id and p.state = 'waiting' and p.next_at <= now()
      order by p.next_at, p.created_at
      limit greatest(0, $1 - (select count(*) from operational.webhook_deliveries s
        where s.webhook_id = w.webhook_id and s.state = 'sending'))) d
    left join sending s using (organization_id)
    where w.disabled_reason is null),
  due as (
    select * from ranked where turn <= $3 order by turn, next_at, created_at limit $2)
  update operational.webhook_deliveries d
  set state = 'sending', attempts = d.attempts + 1, tries = d.tries + 1
  from due where d.delivery_id = due.delivery_id
  returning d.*, due.url, due.secret, due.old_secret`;

type Work = {
  readonly kit: Kit;
  readonly webhooks: Pick<Webhooks, 'disable'>;
  readonly policy: OutboundPolicy;
  readonly times: WebhookTimes;
  readonly signal: AbortSignal;
};

/** Resolves to the time until the next attempt, in milliseconds; null if there is none. */
async function deliver(work: Work, taken: Taken): Promise<number | null> {
  const { kit, policy, times, signal } = work;
  const { delivery_id: id, webhook_id: webhookId, url, secret, old_secret } = taken;
  const payload = await payloadOf(kit.pool, taken);
  if (payload === null) return putBack(kit, id, UNREADABLE_MS);
  const { body } = payload;
  const sealed = [secret, ...(old_secret ? [old_secret] : [])];
  const secrets = sealed.map((each) => openSecret(kit.box, webhookId, each));
  const timestamp = Math.floor(Date.now() / 1000);
  const headers = signedHeaders({ id, timestamp, body }, secrets);
  const at = new Date().toISOString();
  const made = await tracedAttempt(taken, payload, () =>
    attempt({ url, headers, body }, policy, { answerMs: times.answerMs, signal }),
  );
  // This process is stopping: the attempt says nothing about the receiver.
  if (made.error !== null && signal.aborted) return putBack(kit, id, 0);
  return note(work, taken, at, made);
}

/** Part of the trace of the delivered event; a test has its own trace. */
const tracedAttempt = (
  { url, type, organization_id, tries }: Taken,
  { event }: Payload,
  send: () => Promise<Attempted>,
): Promise<Attempted> =>
  tracedFrom(
    event && placeOfEvent(event),
    'deliver webhook',
    {
      kind: 'client',
      attributes: {
        'server.address': new URL(url).hostname,
        'tallyhand.organization': organization_id,
        'tallyhand.event': type,
        'tallyhand.attempt': tries,
      },
    },
    async (span) => {
      const made = await send();
      span?.set({ 'tallyhand.outcome': made.error === null ? 'delivered' : 'failed' });
      if (made.status !== null) span?.set({ 'http.response.status_code': made.status });
      if (made.error !== null) span?.fail();
      return made;
    },
  );

/** Undoes the claim. */
async function putBack({ pool }: Kit, id: string, afterMs: number): Promise<number> {
  await pool.query(
    `update operational.webhook_deliveries set state = 'waiting', attempts = attempts - 1,
       tries = tries - 1, next_at = now() + make_interval(secs => $2)
     where delivery_id = $1`,
    [id, afterMs / 1000],
  );
  return afterMs;
}

async function note(
  { kit, webhooks, times }: Work,
  taken: Taken,
  at: string,
  made: Attempted,
): Promise<number | null> {
  const { status, ms, error, answer } = made;
  const afterMs = error === null ? undefined : times.retryMs[taken.tries - 1];
  const isOver = error === null || afterMs === undefined || status === GONE;
  const end = error === null ? 'delivered' : 'failed';
  attempts.add({ outcome: error === null ? end : isOver ? 'given_up' : 'retried' });
  const log = [...taken.log, { at, status, ms, error }].slice(-ATTEMPTS_KEPT_MAX);
  const { webhook_id: id, organization_id: organizationId } = taken;
  const { rows } = await kit.pool.query<{ is_failing: boolean }>(
    `with noted as (
       update operational.webhook_deliveries d
       set state = case when is_over then $2 else 'waiting' end, log = $3, answer = $4,
         next_at = now() + make_interval(secs => $5), ended_at = case when is_over then now() end
       from (select delivery_id, $8::boolean or w.disabled_reason is not null as is_over
         from operational.webhook_deliveries join operational.webhooks w using (webhook_id)
         where delivery_id = $1) o
       where d.delivery_id = o.delivery_id returning webhook_id)
     update operational.webhooks w
     set failing_since = case when $2 <> 'delivered' then coalesce(failing_since, now()) end,
       given_up = case when $2 = 'delivered' then 0 else given_up + $8::boolean::int end
     from noted where w.webhook_id = noted.webhook_id
     returning w.given_up >= $6
       or coalesce(w.failing_since < now() - make_interval(secs => $7), false) as is_failing`,
    [
      taken.delivery_id,
      end,
      JSON.stringify(log),
      answer,
      (afterMs ?? 0) / 1000,
      GIVEN_UP_MAX,
      times.failingMs / 1000,
      isOver,
    ],
  );
  if (status === GONE || rows[0]?.is_failing) {
    const context = backgroundContext('worker', organizationId);
    const reason = status === GONE ? 'gone' : 'failing';
    await webhooks.disable(context, { organizationId, id }, reason);
  }
  return isOver ? null : afterMs;
}

/** More than any event has. */
const BYTES_MAX = 64 * 1024 * 1024;

type Row = {
  readonly event_id: string;
  readonly schema_version: number;
  readonly type: string;
  readonly at: Date;
  readonly stream: string;
  readonly actor_kind: string;
  readonly actor_id: string | null;
  readonly sign_in_id: string | null;
  readonly correlation_id: string;
  readonly causation_id: string | null;
  readonly command_id: string;
  readonly data: RecordedEvent['data'];
};

/** `event` is null for a test. */
type Payload = {
  readonly body: string;
  readonly event: { readonly id: string; readonly correlationId: string } | null;
};

/**
 * Built from the current history for each attempt, so that nothing is sent about a person who was
 * erased meanwhile. Null while the event can't be read.
 */
async function payloadOf(
  pool: pg.Pool,
  { webhook_id: webhookId, organization_id, type, sequence, created_at }: DeliveryRow,
): Promise<Payload | null> {
  if (sequence === null) {
    const timestamp = created_at.toISOString();
    return { body: JSON.stringify({ type, timestamp, data: { webhookId } }), event: null };
  }
  const { rows } = await inTenant(pool, organization_id, (client) =>
    client.query<Row>(
      `select a.event_id, a.schema_version, a.type, a.at, a.stream, a.actor_kind, a.actor_id,
         a.sign_in_id, a.correlation_id, a.causation_id, a.command_id, f.data
       from read_model.sent_events_after($2::bigint - 1, null, null, 1, $3) f
       join read_model.audit_entries a on a.organization_id = $1 and a.sequence = f.sequence
       where f.sequence = $2`,
      [organization_id, sequence, BYTES_MAX],
    ),
  );
  const row = rows[0];
  if (!row) return null;
  const at = row.at.toISOString();
  const data: RecordedEvent = {
    sequence: Number(sequence),
    id: row.event_id,
    type: row.type,
    schemaVersion: row.schema_version,
    at,
    stream: row.stream,
    actor: { kind: row.actor_kind, id: row.actor_id, signInId: row.sign_in_id },
    correlationId: row.correlation_id,
    causationId: row.causation_id,
    commandId: row.command_id,
    data: row.data,
  };
  return { body: JSON.stringify({ type, timestamp: at, data }), event: data };
}
