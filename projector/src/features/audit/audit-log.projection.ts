import { PersonErased } from '@tallyhand/contracts/features/identity/identity.events';
import type { Ciphertext } from '@tallyhand/contracts/kernel/ids';
import type { EventOf } from '@tallyhand/contracts/kernel/messages';
import { auditLogModel } from '@tallyhand/read-models/features/audit/audit-log.tables';
import type { Row } from '@tallyhand/read-models/read-models';
import { rowOfEvent } from '@tallyhand/service-kit/audit-bundle/event-row';
import { leafOf } from '@tallyhand/service-kit/audit-bundle/row';
import type { StoredEvent } from '@tallyhand/service-kit/event-store/event-log';
import { sql } from 'kysely';
import type { Helpers, Projection, Tx } from '../../kernel/projection.ts';
import { newRow, readRows, rowsOf } from '../../kernel/rows.ts';
import {
  objectOf,
  type PersonalValues,
  partsOf,
  personalValues,
  searchOf,
} from './audited-object.ts';

/** Every event of an organization, including unknown types: an audit log is complete. */
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
    const personal = await Promise.all(
      audited.map(async (event) => {
        const { category } = partsOf(event.stream);
        return { event, values: await personalValues({ category, event }, helpers.open) };
      }),
    );
    const rows = personal.map(({ event, values }) => rowOf(event, heads, values));
    await addEntries(tx, rows, heads);
    for (const one of erased) await rewriteErased(tx, one, helpers.open);
    return touched;
  },
};

type Heads = Map<string, Row<'audit_heads'>>;

async function readHeads(tx: Tx, organizationIds: ReadonlySet<string>): Promise<Heads> {
  const heads = await readRows(tx, 'audit_heads', [...organizationIds]);
  for (const [id, head] of heads) {
    heads.set(id, { ...head, latest: new Date(head.latest).toISOString() });
  }
  return heads;
}

/** The end of the organization's log after one more entry. */
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
  { revealed, textKeys }: PersonalValues,
): Row<'audit_entries'> {
  const organizationId = event.envelope.organizationId ?? '';
  const at = new Date(event.envelope.recordedAt).toISOString();
  const { sequence, latest } = nextHead(heads, organizationId, at);
  const { category } = partsOf(event.stream);
  const object = objectOf(event);
  const entry = rowOfEvent(event, sequence);
  return newRow('audit_entries', entry, at, {
    organization_id: organizationId,
    category,
    latest,
    actor_kind: entry.actor.kind,
    actor_id: entry.actor.id,
    sign_in_id: entry.actor.signInId,
    object_kind: object.kind,
    object_id: object.id,
    source_address: entry.sourceAddress,
    revealed,
    text_keys: textKeys,
    leaf: `\\x${leafOf(entry).toString('hex')}`,
    search: searchOf({ ...event, data: entry.data }, revealed),
  });
}

/** Writes entries and the new ends of their logs. */
const addEntries = (tx: Tx, rows: readonly Row<'audit_entries'>[], heads: Heads) =>
  sql`with ends as (
      insert into read_model.audit_heads
      select r.* from ${rowsOf('audit_heads', [...heads.values()])}
      on conflict (organization_id) do update set sequence = excluded.sequence,
        latest = excluded.latest, skew_ms = excluded.skew_ms)
    insert into read_model.audit_entries
    select r.* from ${rowsOf('audit_entries', rows)}`.execute(tx);

const ENTRIES_AT_ONCE = 1_000;

type Erased = EventOf<typeof PersonErased>['data'];

/** The people that a batch of events erases. */
const erasedIn = (events: readonly StoredEvent[]): readonly Erased[] =>
  events.flatMap(({ type, data, envelope }) =>
    type === PersonErased.type ? PersonErased.read(data, envelope.schemaVersion) : [],
  );

type PersonalEntry = {
  readonly sequence: string;
  readonly type: string;
  readonly category: string;
  readonly stream: string;
  readonly data: Record<string, unknown>;
  readonly actor_kind: string;
  readonly actor_id: string | null;
  readonly correlation_id: string;
  readonly source_address: string | null;
};

/**
 * Rewrites the revealed values, their keys and the search words of entries to what a rebuild without
 * the person's key would write. The hashes of the entries cover none of them.
 */
async function rewriteErased(
  tx: Tx,
  { organizationId, keys }: Erased,
  open: Helpers['open'],
): Promise<void> {
  for (let after = '0'; ; ) {
    const { rows } = await sql<PersonalEntry>`
      select sequence, type, category, stream, data, actor_kind, actor_id, correlation_id,
        source_address
      from read_model.audit_entries
      where organization_id = ${organizationId} and sequence > ${after}
        and (object_id = any(${keys}::text[]) or actor_id = any(${keys}::text[]))
        and revealed <> '{}'
      order by sequence limit ${ENTRIES_AT_ONCE}`.execute(tx);
    const last = rows.at(-1);
    if (!last) return;
    after = last.sequence;
    const rewritten = [];
    for (const row of rows) rewritten.push(await rewrite(row, organizationId, open));
    await sql`
      update read_model.audit_entries e set revealed = r.revealed,
        text_keys = r.text_keys, search = r.search
      from jsonb_to_recordset(${JSON.stringify(rewritten)})
        as r(sequence bigint, revealed jsonb, text_keys jsonb, search tsvector)
      where e.organization_id = ${organizationId} and e.sequence = r.sequence`.execute(tx);
  }
}

async function rewrite(row: PersonalEntry, organizationId: string, open: Helpers['open']) {
  const { type, category, stream, data, source_address: sourceAddress } = row;
  const event = {
    type,
    stream,
    data,
    envelope: {
      organizationId,
      actor: { kind: row.actor_kind, ...(row.actor_id === null ? {} : { id: row.actor_id }) },
      correlationId: row.correlation_id,
      ...(sourceAddress === null ? {} : { sourceAddress: sourceAddress as Ciphertext }),
    },
  };
  const { revealed, textKeys } = await personalValues({ category, event }, open);
  const search = searchOf(event, revealed);
  return { sequence: row.sequence, revealed, text_keys: textKeys, search };
}
