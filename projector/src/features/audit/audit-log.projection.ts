import { auditLogModel } from '@tallyhand/read-models/features/audit/audit-log.tables';
import type { Row } from '@tallyhand/read-models/read-models';
import { leafOf } from '@tallyhand/service-kit/audit-bundle/row';
import type { StoredEvent } from '@tallyhand/service-kit/event-store/event-log';
import { storable } from '@tallyhand/service-kit/storable';
import { sql } from 'kysely';
import type { Projection, Tx } from '../../kernel/projection.ts';
import { addRows, rowsOf } from '../../kernel/rows.ts';
import { objectOf, partsOf } from './audited-object.ts';
import { searchOf } from './entry-words.ts';
import { erasedIn, rewriteErased } from './erased-entries.ts';
import { personalValues } from './personal-values.ts';

/**
 * Every event that belongs to an organization, including unknown types: an audit log leaves nothing
 * out.
 */
export const auditLogProjection: Projection = {
  model: auditLogModel,
  isWhole: true,
  async apply(tx, events, helpers) {
    const audited = events.filter(({ envelope }) => envelope.organizationId !== null);
    const touched = new Set(audited.flatMap(({ envelope }) => envelope.organizationId ?? []));
    if (audited.length === 0) return touched;
    const heads = await readHeads(tx, touched);
    const erased = erasedIn(audited);
    for (const { keys } of erased) helpers.forget(keys);
    const revealed = await Promise.all(
      audited.map((event) =>
        personalValues({ category: partsOf(event.stream).category, event }, helpers.reveal),
      ),
    );
    const rows = audited.map((event, index) => rowOf(event, heads, revealed[index] ?? {}));
    await Promise.all([addRows(tx, 'audit_entries', rows), keepHeads(tx, heads)]);
    for (const one of erased) await rewriteErased(tx, one, helpers.reveal);
    return touched;
  },
};

type Heads = Map<string, Row<'audit_heads'>>;

async function readHeads(tx: Tx, organizationIds: ReadonlySet<string>): Promise<Heads> {
  const rows = await tx
    .selectFrom('audit_heads')
    .selectAll()
    .where('organization_id', 'in', [...organizationIds])
    .execute();
  return new Map(
    // PostgreSQL's bigint arrives as text, its time as a Date.
    rows.map(({ organization_id, sequence, latest, skew_ms }) => [
      organization_id,
      {
        organization_id,
        sequence: Number(sequence),
        latest: new Date(latest).toISOString(),
        skew_ms: Number(skew_ms),
      },
    ]),
  );
}

/** The end of the organization's log with one more entry, at this moment. */
function nextHead(heads: Heads, organizationId: string, at: string): Row<'audit_heads'> {
  const known = heads.get(organizationId);
  const latest = known && known.latest > at ? known.latest : at;
  const head = {
    organization_id: organizationId,
    sequence: (known?.sequence ?? 0) + 1,
    latest,
    skew_ms: Math.max(known?.skew_ms ?? 0, Date.parse(latest) - Date.parse(at)),
  };
  heads.set(organizationId, head);
  return head;
}

function rowOf(
  event: StoredEvent,
  heads: Heads,
  revealed: Readonly<Record<string, string>>,
): Row<'audit_entries'> {
  const { envelope, stream, type } = event;
  // Foreign events may contain text that PostgreSQL cannot store, and have their place all the
  // same.
  const data = storable(event.data);
  const { actor, correlationId, causationId, commandId, schemaVersion } = envelope;
  const organizationId = envelope.organizationId ?? '';
  const at = new Date(envelope.recordedAt).toISOString();
  const { sequence, latest } = nextHead(heads, organizationId, at);
  const { category } = partsOf(stream);
  const object = objectOf(event);
  const [actorId, signInId] = [actor.id ?? null, actor.signInId ?? null];
  const sourceAddress = envelope.sourceAddress ?? null;
  const leaf = leafOf({
    sequence,
    eventId: event.id,
    type,
    schemaVersion,
    stream,
    at,
    actor: { kind: actor.kind, id: actorId, signInId },
    correlationId,
    causationId,
    commandId,
    data,
    sourceAddress,
  });
  return {
    organization_id: organizationId,
    sequence,
    event_id: event.id,
    type,
    schema_version: schemaVersion,
    category,
    stream,
    at,
    latest,
    actor_kind: actor.kind,
    actor_id: actorId,
    sign_in_id: signInId,
    correlation_id: correlationId,
    causation_id: causationId,
    command_id: commandId,
    object_kind: object.kind,
    object_id: object.id,
    data,
    source_address: sourceAddress,
    revealed,
    leaf: `\\x${leaf.toString('hex')}`,
    search: searchOf({ ...event, data }, revealed),
  };
}

const keepHeads = (tx: Tx, heads: Heads) =>
  sql`insert into read_model.audit_heads
    select r.* from ${rowsOf('audit_heads', [...heads.values()])}
    on conflict (organization_id) do update set sequence = excluded.sequence,
      latest = excluded.latest, skew_ms = excluded.skew_ms`.execute(tx);
