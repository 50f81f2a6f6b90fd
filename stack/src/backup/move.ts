import { SCHEMA } from '@tallyhand/command-service/operational/migrations';
import { Envelope } from '@tallyhand/contracts/kernel/envelope';
import { readEvents } from '@tallyhand/event-store/storage/copies';
import type { StoredEvent } from '@tallyhand/event-store/storage/events';
import { canonicalJson } from '@tallyhand/service-kit/crypto/hash-chain';
import type { EventLog, NewEvent } from '@tallyhand/service-kit/event-store/event-log';
import { formatPosition } from '@tallyhand/service-kit/event-store/position';
import type pg from 'pg';
import { OperatorError } from '../operator/command.ts';
import { positionTables } from './check-restored.ts';
import { type Dumped, dumpTable, tablesToDump } from './dump-tables.ts';
import { uuidOf } from './event-lines.ts';
import { loadTables } from './load-tables.ts';
import type { TableEntry } from './manifest.ts';
import { withClient } from './manifest.ts';

/** Well within the limits of an append of EventStoreDB. */
const APPEND_EVENTS_MAX = 100;
const APPEND_BYTES_MAX = 500_000;
const PROGRESS_EVENTS = 10_000;

export type EventMove = {
  readonly eventStoreDir: string;
  /** The position of the last event here. */
  readonly head: number;
  readonly target: EventLog;
};

/** The positions of the product's events there, by their position here. */
export type MovedPositions = ReadonlyMap<number, string>;

/**
 * Appends every event to the target, in the order of $all, and reads all of them back. Skips what
 * an earlier move has appended. Throws an OperatorError if other events are there. `wanted`:
 * positions here that must be known there.
 */
export async function moveEvents(
  move: EventMove,
  wanted: ReadonlySet<number>,
  say: (line: string) => void,
): Promise<MovedPositions> {
  const before = await compare(move, new Set());
  if (before.count > 0) say(`${before.count} of ${move.head} events are there already.`);
  await append(move, before.count, say);
  const { count, positions } = await compare(move, wanted);
  if (count !== move.head) {
    throw new OperatorError(`Only ${count} of ${move.head} events arrived. Move again.`);
  }
  return positions;
}

/** Counts the target's events that were moved from here; throws for any other event. */
async function compare(
  { eventStoreDir, head, target }: EventMove,
  wanted: ReadonlySet<number>,
): Promise<{ readonly count: number; readonly positions: MovedPositions }> {
  const ours = readEvents(eventStoreDir, head);
  const positions = new Map<number, string>();
  let count = 0;
  let foreign: string | null = null;
  // Always reads to the end: the client can't be closed during a read.
  for await (const { event } of target.client.readAll()) {
    if (!event || event.type.startsWith('$') || foreign) continue;
    const own = (await ours.next()).value;
    const isSame =
      own &&
      event.id === uuidOf(own.id) &&
      event.streamId === own.stream &&
      event.revision === BigInt(own.revision) &&
      event.type === own.type &&
      event.isJson &&
      canonicalJson(event.data) === canonicalJson(jsonOf(own.data)) &&
      canonicalJson(event.metadata) === canonicalJson(jsonOf(own.metadata));
    if (!isSame) {
      foreign = `${event.type} of ${event.streamId}`;
      continue;
    }
    count += 1;
    const { position } = event as { position?: { commit: bigint; prepare: bigint } };
    if (position && wanted.has(own.position)) positions.set(own.position, formatPosition(position));
  }
  await ours.return(undefined);
  if (!foreign) return { count, positions };
  throw new OperatorError(
    `The cluster holds an event that is not ours, or stands elsewhere here (${foreign}). Nothing ` +
      'more was written to it: name one that is empty.',
  );
}

async function append(move: EventMove, done: number, say: (line: string) => void) {
  let batch: StoredEvent[] = [];
  let bytes = 0;
  async function flush() {
    const [first] = batch;
    if (!first) return;
    const expected = first.revision === 0 ? null : BigInt(first.revision - 1);
    await move.target.append(first.stream, batch.map(asNewEvent), expected).catch(explain);
    batch = [];
    bytes = 0;
  }
  for await (const event of readEvents(move.eventStoreDir, move.head, done + 1)) {
    const size = event.data.byteLength + event.metadata.byteLength;
    const isFull = batch.length >= APPEND_EVENTS_MAX || bytes + size > APPEND_BYTES_MAX;
    if (isFull || batch[0]?.stream !== event.stream) await flush();
    batch.push(event);
    bytes += size;
    if (event.position % PROGRESS_EVENTS === 0) say(`${event.position} of ${move.head} events`);
  }
  await flush();
}

/** It is unreachable, or its disk is full: the operator needs its message. */
function explain(error: unknown): never {
  const { type, message } = error as { type?: unknown; message?: unknown };
  if (type !== 'unavailable') throw error;
  throw new OperatorError(
    `The cluster takes no more events (${message}). Those that arrived stay there: move again when ` +
      'it takes more, and it resumes.',
  );
}

function asNewEvent({ id, type, data, metadata }: StoredEvent): NewEvent {
  const envelope = jsonOf(metadata);
  // The raw data, not parsed: fields that a newer writer may have added are preserved.
  Envelope.parse(envelope);
  return { id: uuidOf(id), type, data: jsonOf(data), envelope: envelope as Envelope };
}

const jsonOf = (bytes: Uint8Array): unknown => JSON.parse(Buffer.from(bytes).toString());

const LINES_AT_ONCE = 500;

/** The embedded event store's position of an event, as tables keep it. */
const numberIn = (column: string) => `substring(${column} from '^C(\\d+)-')::bigint`;

/** Every position that a table keeps. */
export async function keptPositions(client: pg.Client): Promise<ReadonlySet<number>> {
  const all = (await positionTables(client)).map(
    (table) => `select ${numberIn('position')} as at from ${table} where position <> ''`,
  );
  const { rows } = await client.query<{ at: string }>(all.join(' union '));
  return new Set(rows.map(({ at }) => Number(at)).filter((at) => at > 0));
}

/**
 * Updates the positions in tables to those of the new store, and schedules a rebuild of the read
 * models from the first event at the next start. All or nothing.
 */
export async function followEvents(client: pg.Client, moved: MovedPositions): Promise<void> {
  await client.query('begin');
  for (const table of await positionTables(client)) {
    await client.query(
      `update ${table} t set position = m.there
       from unnest($1::bigint[], $2::text[]) as m (here, there)
       where ${numberIn('t.position')} = m.here`,
      [[...moved.keys()], [...moved.values()]],
    );
  }
  // Tables of unrecorded models are rebuilt; operators' decisions stay.
  await client.query('delete from read_model.models');
  await client.query('commit');
}

/** Throws if the database belongs to a product. */
export async function refuseUsed(databaseUrl: string): Promise<void> {
  const isUsed = await withClient(databaseUrl, async (client) => {
    const { rows } = await client.query<{ used: boolean }>(
      `select to_regnamespace('operational') is not null
         or to_regnamespace('read_model') is not null as used`,
    );
    return rows[0]?.used === true;
  });
  if (isUsed) throw new OperatorError('The new database is not empty. Name one that is.');
}

/**
 * Copies everything that is not built from events into an empty database, with updated positions;
 * all of it, or nothing.
 */
export async function copyTables(
  client: pg.Client,
  databaseUrl: string,
  masterKey: string,
  moved: MovedPositions,
): Promise<void> {
  await client.query('begin transaction isolation level repeatable read read only');
  await client.query('set local row_security = off');
  const { rows: steps } = await client.query<{ id: string }>(
    'select id from operational.migrations',
  );
  const tables: (Dumped & TableEntry)[] = [];
  for (const table of await tablesToDump(client)) {
    const { rows } = await client.query<{ rows: number }>(
      `select count(*)::int as rows from ${table.name} where ${table.where ?? 'true'}`,
    );
    tables.push({ ...table, columns: [...table.columns], rows: rows[0]?.rows ?? 0 });
  }
  try {
    await loadTables(databaseUrl, masterKey, {
      tables,
      migrations: steps.map(({ id }) => id),
      async *lines({ name }) {
        const table = tables.find((each) => each.name === name);
        if (table) yield* pagesOf(dumpTable(client, table));
      },
    });
    await withClient(databaseUrl, (copy) => followEvents(copy, moved));
  } catch (error) {
    await withClient(databaseUrl, (target) =>
      target.query(
        `drop schema if exists ${SCHEMA}, jobs, read_model, read_model_next, extensions cascade`,
      ),
    );
    throw error;
  }
  await client.query('commit');
}

async function* pagesOf(lines: AsyncIterable<string>): AsyncGenerator<string[]> {
  let page: string[] = [];
  for await (const line of lines) {
    if (page.push(line) < LINES_AT_ONCE) continue;
    yield page;
    page = [];
  }
  yield page;
}
