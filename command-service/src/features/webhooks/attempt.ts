import { createHmac, randomBytes } from 'node:crypto';
import type { OutboundPolicy } from '@tallyhand/agent-runtime/guard/destination';
import { guardedFetch } from '@tallyhand/agent-runtime/guard/guarded-fetch';
import { OutboundFailed, OutboundRefused } from '@tallyhand/agent-runtime/guard/outbound-errors';
import type { RecordedEvent } from '@tallyhand/contracts/features/audit/audit.endpoints';
import { inTenant } from '@tallyhand/service-kit/postgres/pool';
import type pg from 'pg';
import type { DeliveryRow } from './webhook-rows.ts';

/** How much of an answer is read, and stored. */
const ANSWER_BYTES_MAX = 64 * 1024;
const ANSWER_KEPT_MAX = 1_000;

export type Attempted = {
  /** Null without an answer. */
  readonly status: number | null;
  readonly ms: number;
  readonly error: string | null;
  readonly answer: string | null;
};

type Message = {
  readonly url: string;
  readonly headers: Readonly<Record<string, string>>;
  readonly body: string;
};

/** Sends once and returns the outcome. Does not follow redirects. Throws on bugs only. */
export async function attempt(
  { url, headers, body }: Message,
  policy: OutboundPolicy,
  { answerMs, signal }: { readonly answerMs: number; readonly signal: AbortSignal },
): Promise<Attempted> {
  const started = performance.now();
  const ms = () => Math.round(performance.now() - started);
  try {
    const response = await guardedFetch(
      url,
      {
        method: 'POST',
        headers: { 'content-type': 'application/json', ...headers },
        body,
        signal,
        limits: { totalMs: answerMs, headersMs: answerMs, bodyBytes: ANSWER_BYTES_MAX },
        mayFollow: () => false,
      },
      policy,
    );
    const answer = await beginningOf(response.body);
    const { status } = response;
    const isGood = status >= 200 && status < 300;
    return { status, ms: ms(), error: isGood ? null : `It answered ${status}.`, answer };
  } catch (error) {
    const isKnown = error instanceof OutboundRefused || error instanceof OutboundFailed;
    if (!isKnown) throw error;
    const isRedirect = error instanceof OutboundRefused && error.reason === 'redirect';
    const said = isRedirect ? 'It redirects, which is not followed.' : error.message;
    return { status: null, ms: ms(), error: said, answer: null };
  }
}

/** The beginning of the body. A failure to read it does not change the outcome. */
async function beginningOf(body: AsyncIterable<Uint8Array>): Promise<string> {
  const chunks: Uint8Array[] = [];
  try {
    for await (const chunk of body) {
      const bytes = chunks.reduce((sum, { byteLength }) => sum + byteLength, 0);
      if (bytes < ANSWER_KEPT_MAX * 4) chunks.push(chunk);
    }
  } catch (error) {
    if (!(error instanceof OutboundFailed)) throw error;
  }
  const text = new TextDecoder().decode(Buffer.concat(chunks));
  return text.replaceAll('\u0000', '').slice(0, ANSWER_KEPT_MAX).toWellFormed();
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
export type Payload = {
  readonly body: string;
  readonly event: { readonly id: string; readonly correlationId: string } | null;
};

/**
 * Built from the current history for each attempt, so that nothing is sent about a person who was
 * erased meanwhile. Null while the event can't be read.
 */
export async function payloadOf(
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

const PREFIX = 'whsec_';
const SECRET_BYTES = 32;

/** In the format of Standard Webhooks: the prefix, and random bytes as base64. */
export const newWebhookSecret = () => PREFIX + randomBytes(SECRET_BYTES).toString('base64');

type Signed = {
  readonly id: string;
  /** Seconds since 1970. */
  readonly timestamp: number;
  readonly body: string;
};

/** The headers of Standard Webhooks, signed with each valid secret. */
export function signedHeaders({ id, timestamp, body }: Signed, secrets: readonly string[]) {
  const signatures = secrets.map((secret) => {
    const key = Buffer.from(secret.slice(PREFIX.length), 'base64');
    const hmac = createHmac('sha256', key).update(`${id}.${timestamp}.${body}`);
    return `v1,${hmac.digest('base64')}`;
  });
  return {
    'webhook-id': id,
    'webhook-timestamp': String(timestamp),
    'webhook-signature': signatures.join(' '),
  };
}
