import { PersonErased } from '@tallyhand/contracts/features/identity/identity.events';
import type { Ciphertext } from '@tallyhand/contracts/kernel/ids';
import type { EventOf } from '@tallyhand/contracts/kernel/messages';
import type { StoredEvent } from '@tallyhand/service-kit/event-store/event-log';
import { sql } from 'kysely';
import type { Helpers, Tx } from '../../kernel/projection.ts';
import { searchOf } from './entry-words.ts';
import { personalValues } from './personal-values.ts';

const ENTRIES_AT_ONCE = 1_000;

type Erased = EventOf<typeof PersonErased>['data'];

/** Who was erased in a batch of events. */
export const erasedIn = (events: readonly StoredEvent[]): readonly Erased[] =>
  events.flatMap(({ type, data, envelope }) =>
    type === PersonErased.type ? PersonErased.read(data, envelope.schemaVersion) : [],
  );

type Row = {
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
 * Sets what entries revealed of a person, and their search words, to the values of a rebuild
 * without the keys. Their hashes cover neither.
 */
export async function rewriteErased(
  tx: Tx,
  { organizationId, keys }: Erased,
  reveal: Helpers['reveal'],
): Promise<void> {
  for (let after = '0'; ; ) {
    const { rows } = await sql<Row>`
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
    for (const row of rows) rewritten.push(await rewrite(row, organizationId, reveal));
    await sql`
      update read_model.audit_entries e set revealed = r.revealed, search = r.search
      from jsonb_to_recordset(${JSON.stringify(rewritten)})
        as r(sequence bigint, revealed jsonb, search tsvector)
      where e.organization_id = ${organizationId} and e.sequence = r.sequence`.execute(tx);
  }
}

async function rewrite(row: Row, organizationId: string, reveal: Helpers['reveal']) {
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
  const revealed = await personalValues({ category, event }, reveal);
  return { sequence: row.sequence, revealed, search: searchOf(event, revealed) };
}
