import type { RecordedEvent } from '@tallyhand/contracts/features/audit/audit.endpoints';
import { inTenant } from '@tallyhand/service-kit/postgres/pool';
import type pg from 'pg';
import type { DeliveryRow } from './webhook-rows.ts';

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
