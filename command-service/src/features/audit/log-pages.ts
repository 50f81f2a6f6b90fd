import { type AuditRow, provedTexts } from '@tallyhand/service-kit/audit-bundle/row';
import { inTenant } from '@tallyhand/service-kit/postgres/pool';
import type pg from 'pg';

/** The filter of an export, in terms of the read model. */
export type LogFilter = {
  readonly from: string | null;
  readonly to: string | null;
  readonly actorId: string | null;
  readonly actorKind: string | null;
  readonly category: string | null;
  readonly type: string | null;
  readonly object: string | null;
  /** A `tsquery`. */
  readonly words: string | null;
};

/** An entry of the log: its leaf, and its row if the filter matches. */
export type LogEntry = { readonly leaf: Buffer; readonly row: AuditRow | null };

/** Small, so that most of a page is collected before it reaches the old generation. */
const PAGE_LENGTH = 250;
/** Read in one transaction; short, because a rebuilt table has to wait for it. */
const SECTION_LENGTH = 16 * PAGE_LENGTH;
/** The page length of queries that read sequences only. */
const BOUNDS_LENGTH = 50_000;

const MATCHES = `(($4::timestamptz is null or a.at >= $4) and ($5::timestamptz is null or a.at < $5)
  and ($6::text is null or a.actor_id = $6) and ($7::text is null or a.actor_kind = $7)
  and ($8::text is null or a.category = $8) and ($9::text is null or a.type = $9)
  and ($10::text is null or a.object_id = $10)
  and ($11::tsquery is null or a.search @@ $11))`;

const valuesOf = (filter: LogFilter) => [
  filter.from,
  filter.to,
  filter.actorId,
  filter.actorKind,
  filter.category,
  filter.type,
  filter.object,
  filter.words,
];

/** How many entries the organization's log has. */
export async function logSize(pool: pg.Pool, organizationId: string): Promise<number> {
  return inTenant(pool, organizationId, async (client) => {
    const { rows } = await client.query<{ sequence: string }>(
      'select sequence from read_model.audit_heads where organization_id = $1',
      [organizationId],
    );
    return Number(rows[0]?.sequence ?? 0);
  });
}

/** The first and last matching sequence up to `size`; null without a match. */
export async function boundsOf(
  pool: pg.Pool,
  organizationId: string,
  size: number,
  filter: LogFilter,
): Promise<{ readonly first: number; readonly last: number } | null> {
  if (size === 0) return null;
  if (valuesOf(filter).every((value) => value === null)) return { first: 1, last: size };
  let [first, last] = [0, 0];
  for (let after = 0; after < size; after += BOUNDS_LENGTH) {
    const { rows } = await inTenant(pool, organizationId, (client) =>
      client.query<{ first: string | null; last: string | null }>(
        `select min(sequence) as first, max(sequence) as last from read_model.audit_entries a
         where a.organization_id = $1 and a.sequence > $2 and a.sequence <= $3 and ${MATCHES}`,
        [organizationId, after, Math.min(after + BOUNDS_LENGTH, size), ...valuesOf(filter)],
      ),
    );
    const found = rows[0];
    if (found?.first == null) continue;
    first ||= Number(found.first);
    last = Number(found.last);
  }
  return last === 0 ? null : { first, last };
}

/** The leaves of the next entries after the first `after`, up to `end`. */
export async function leavesAfter(
  pool: pg.Pool,
  organizationId: string,
  after: number,
  end: number,
): Promise<readonly Buffer[]> {
  const { rows } = await inTenant(pool, organizationId, (client) =>
    client.query<{ leaf: Buffer }>(
      `select leaf from read_model.audit_entries
       where organization_id = $1 and sequence > $2 and sequence <= $3 order by sequence limit $4`,
      [organizationId, after, end, BOUNDS_LENGTH],
    ),
  );
  return rows.map(({ leaf }) => leaf);
}

/**
 * Passes all entries of the log up to `size` to `work`, page by page. The next page is read while one
 * is processed.
 */
export async function eachLogPage(
  pool: pg.Pool,
  { organizationId, size, filter }: LogRange,
  work: (page: readonly LogEntry[]) => Promise<void>,
): Promise<void> {
  for (let from = 0; from < size; from += SECTION_LENGTH) {
    const upTo = Math.min(from + SECTION_LENGTH, size);
    await inTenant(pool, organizationId, (client) =>
      eachPageOf((after) => readPage(client, { organizationId, filter, after, upTo }), {
        from,
        upTo,
        work,
      }),
    );
  }
}

export type LogRange = {
  readonly organizationId: string;
  readonly size: number;
  readonly filter: LogFilter;
};

async function eachPageOf(
  read: (after: number) => Promise<PageRow[]>,
  section: {
    readonly from: number;
    readonly upTo: number;
    readonly work: (page: readonly LogEntry[]) => Promise<void>;
  },
): Promise<void> {
  let ahead = read(section.from);
  for (let after = section.from; after < section.upTo; after += PAGE_LENGTH) {
    const rows = await ahead;
    const next = after + PAGE_LENGTH;
    if (next < section.upTo) {
      ahead = read(next);
      // Its error is thrown when the page is awaited.
      ahead.catch(() => {});
    }
    await section.work(
      rows.map((row) => ({ leaf: row.leaf, row: row.event_id === null ? null : rowOf(row) })),
    );
  }
}

async function readPage(
  client: pg.PoolClient,
  { organizationId, filter, after, upTo }: Omit<LogRange, 'size'> & { after: number; upTo: number },
): Promise<PageRow[]> {
  const end = Math.min(after + PAGE_LENGTH, upTo);
  const { rows } = await client.query<PageRow>({
    name: 'audit-log-page',
    text: PAGE,
    values: [organizationId, after, end, ...valuesOf(filter)],
  });
  if (rows.length < end - after) throw new Error(`The log has a gap after ${after}`);
  return rows;
}

const PAGE = `
  select p.sequence, p.leaf, r.*
  from (select a.*, ${MATCHES} as is_found from read_model.audit_entries a
    where a.organization_id = $1 and a.sequence > $2 and a.sequence <= $3) p
  left join lateral (select p.event_id, p.type, p.schema_version, p.stream, p.at, p.actor_kind,
    p.actor_id, p.sign_in_id, p.correlation_id, p.causation_id, p.command_id, p.data,
    p.source_address, p.revealed, p.text_keys where p.is_found) r on true
  order by p.sequence`;

type PageRow = { readonly sequence: string; readonly leaf: Buffer } & (
  | { readonly event_id: null }
  | ExportedColumns
);

type ExportedColumns = {
  readonly event_id: string;
  readonly type: string;
  readonly schema_version: number;
  readonly stream: string;
  readonly at: Date;
  readonly actor_kind: string;
  readonly actor_id: string | null;
  readonly sign_in_id: string | null;
  readonly correlation_id: string;
  readonly causation_id: string | null;
  readonly command_id: string;
  readonly data: AuditRow['data'];
  readonly source_address: string | null;
  readonly revealed: Readonly<Record<string, string>>;
  readonly text_keys: Readonly<Record<string, string>>;
};

const rowOf = (row: ExportedColumns & { readonly sequence: string }): AuditRow => ({
  sequence: Number(row.sequence),
  eventId: row.event_id,
  type: row.type,
  schemaVersion: row.schema_version,
  stream: row.stream,
  at: row.at.toISOString(),
  actor: { kind: row.actor_kind, id: row.actor_id, signInId: row.sign_in_id },
  correlationId: row.correlation_id,
  causationId: row.causation_id,
  commandId: row.command_id,
  data: row.data,
  sourceAddress: row.source_address,
  revealed: provedTexts(row.revealed, row.text_keys),
});
