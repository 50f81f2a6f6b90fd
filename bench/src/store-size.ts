import { randomBytes } from 'node:crypto';
import { mkdtemp, rm, stat } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { openForReading, openForWriting } from '@tallyhand/event-store/storage/database';
import { EventRows } from '@tallyhand/event-store/storage/event-rows';
import { EventWriter } from '@tallyhand/event-store/storage/event-writer';
import type { StoredEvent } from '@tallyhand/event-store/storage/events';
import { newId } from '@tallyhand/service-kit/crypto/ids';
import { type EventLog, openEventLog } from '@tallyhand/service-kit/event-store/event-log';
import { START } from '@tallyhand/service-kit/event-store/position';
import { readAllAfter } from '@tallyhand/service-kit/event-store/read-all';
import { newCast } from './history/cast.ts';
import { taskEvents } from './history/streams.ts';
import { startEventStore } from './ledger-backends.ts';
import { load, loadFor } from './load.ts';
import { processorMs, pssMb } from './processes.ts';
import { type Row, row, rowOfEach } from './table.ts';

/** Each size includes the one before. */
const SIZES = [100_000, 1_000_000, 10_000_000] as const;
const WRITTEN_AT_ONCE = 10_000;
const APPENDERS = 64;
const APPEND_MS = 5_000;
const READERS = 16;
const READS = 5_000;
const PAGE = 1_000;
const PAGES = 50;
const SEARCHED_AT_ONCE = 10_000;

type Figures = {
  readonly startMs: number;
  readonly idleMb: number;
  readonly workedMb: number;
  readonly appendsPerSecond: number;
  readonly appendUs: number;
  readonly streamsPerSecond: number;
  readonly streamP99Ms: number;
  readonly eventsPerSecond: number;
  readonly searchedPerSecond: number;
  readonly bytes: number;
};

/** The embedded event store alone, with users and TLS, with more and more events in it. */
export async function measureStoreSize(): Promise<Row[]> {
  const folder = await mkdtemp(join(tmpdir(), 'tallyhand-bench-store-'));
  const dataDir = join(folder, 'events');
  const masterKey = randomBytes(32).toString('base64url');
  try {
    const templates = await taskOf(dataDir, masterKey);
    const figures: Figures[] = [];
    for (const size of SIZES) {
      const streams = fill(dataDir, templates, size);
      figures.push({
        ...(await measureOne(dataDir, masterKey, streams)),
        bytes: (await stat(join(dataDir, 'events.db'))).size / size,
      });
    }
    return rowsOf(figures);
  } finally {
    await rm(folder, { recursive: true, force: true });
  }
}

/** The events of a task as the store keeps them. */
async function taskOf(dataDir: string, masterKey: string): Promise<StoredEvent[]> {
  await using store = await startEventStore(dataDir, masterKey);
  const eventLog = openEventLog(store.url);
  try {
    const cast = await newCast(async () => undefined);
    const { stream, ledger } = taskEvents(cast, cast.agents[0] ?? '');
    const { position } = await eventLog.append(stream.name, stream.events, null);
    await eventLog.append(`ledger-${cast.organizationId}`, ledger, null);
    using db = openForReading(dataDir);
    const first = Number(position.commit) - stream.events.length + 1;
    return new EventRows(db).allPage('forwards', first, stream.events.length + ledger.length);
  } finally {
    await eventLog.close();
  }
}

/** Adds tasks, each in a stream of its own, until there are so many events. Gives some of the streams. */
function fill(dataDir: string, templates: readonly StoredEvent[], size: number): string[] {
  using db = openForWriting(dataDir);
  db.exec('PRAGMA synchronous = OFF');
  const head = new EventRows(db).head();
  const writer = new EventWriter(db, head);
  const streams: string[] = [];
  while (writer.head < size) {
    const events: StoredEvent[] = [];
    while (events.length < WRITTEN_AT_ONCE) {
      const stream = `task-${newId()}`;
      if (events.length === 0) streams.push(stream);
      for (const [revision, template] of templates.entries()) {
        const position = writer.head + events.length + 1;
        events.push({ ...template, position, stream, revision, id: randomBytes(16) });
      }
    }
    writer.restoreBatch(events);
  }
  return streams;
}

async function measureOne(
  dataDir: string,
  masterKey: string,
  streams: readonly string[],
): Promise<Omit<Figures, 'bytes'>> {
  const began = performance.now();
  await using store = await startEventStore(dataDir, masterKey);
  const eventLog = openEventLog(store.url);
  try {
    const newest = await eventLog.head();
    const startMs = performance.now() - began;
    const idleMb = pssMb(store.pid);
    const appends = await measureAppends(eventLog, store.pid);
    const reads = await load(READERS, READS, async (index) => {
      const stream = streams[index % streams.length] ?? '';
      const events = await Array.fromAsync(eventLog.read(stream, 0n));
      if (events.length === 0) throw new Error('A stream is empty');
    });
    const catchUp = await timed(async () => {
      let [count, at] = [0, START];
      for (let page = 0; page < PAGES; page += 1) {
        const { events, position } = await readAllAfter(eventLog, at, PAGE);
        count += events.length;
        at = position;
      }
      return count;
    });
    const searched = await timed(() => searchInVain(eventLog, newest?.commit ?? 0n));
    return {
      startMs,
      idleMb,
      workedMb: pssMb(store.pid),
      ...appends,
      streamsPerSecond: reads.perSecond,
      streamP99Ms: reads.p99Ms,
      eventsPerSecond: catchUp,
      searchedPerSecond: searched,
    };
  } finally {
    await eventLog.close();
  }
}

/** Searches all events up to a position for a type that none has. Gives how many were searched. */
function searchInVain({ client }: EventLog, upTo: bigint): Promise<number> {
  return new Promise((resolve, reject) => {
    const filter: NonNullable<Parameters<EventLog['client']['subscribeToAll']>[0]>['filter'] = {
      filterOn: 'eventType',
      checkpointInterval: 1,
      prefixes: ['NothingHasThisType'],
      maxSearchWindow: SEARCHED_AT_ONCE,
      async checkpointReached(subscription, { commit }) {
        if (commit < upTo - BigInt(SEARCHED_AT_ONCE)) return;
        await subscription.unsubscribe();
        resolve(Number(commit));
      },
    };
    const subscription = client.subscribeToAll({ fromPosition: 'start', filter });
    subscription.on('data', () => reject(new Error('Something was found')));
    subscription.on('error', reject);
  });
}

async function measureAppends(eventLog: EventLog, pid: number) {
  const cast = await newCast(async () => undefined);
  const heads = Array.from({ length: APPENDERS }, () => ({
    stream: `agent-${newId()}`,
    revision: null as bigint | null,
  }));
  const [event] = taskEvents(cast, cast.agents[0] ?? '').stream.events;
  if (!event) throw new Error('A task has no events');
  const append = async (_: number, client: number) => {
    const head = heads[client];
    if (!head) return;
    const appended = await eventLog.append(head.stream, [{ ...event, id: newId() }], head.revision);
    head.revision = appended.revision;
  };
  await loadFor(APPENDERS, APPEND_MS / 5, append);
  const before = processorMs(pid);
  const { calls, perSecond } = await loadFor(APPENDERS, APPEND_MS, append);
  return {
    appendsPerSecond: perSecond,
    appendUs: ((processorMs(pid) - before) * 1_000) / calls,
  };
}

/** How many a second. */
async function timed(work: () => Promise<number>): Promise<number> {
  const began = performance.now();
  const count = await work();
  return (count * 1_000) / (performance.now() - began);
}

function rowsOf(figures: readonly Figures[]): Row[] {
  const line = (what: string, of: (one: Figures) => number, unit = '') =>
    rowOfEach(what, figures, of, unit);
  return [
    row('events in the store', SIZES.map((size) => size.toLocaleString('en')).join('; ')),
    line('start until it answers', ({ startMs }) => startMs, 'ms'),
    line('memory after the start (PSS)', ({ idleMb }) => idleMb, 'MB'),
    line('memory after all of this', ({ workedMb }) => workedMb, 'MB'),
    line(`durable appends/s, ${APPENDERS} appenders`, (one) => one.appendsPerSecond),
    line('processor time of the store for each', ({ appendUs }) => appendUs, 'µs'),
    line(`streams of a task read/s, ${READERS} readers`, (one) => one.streamsPerSecond),
    line('the same: p99', ({ streamP99Ms }) => streamP99Ms, 'ms'),
    line('all events in their order, through the client: events/s', (one) => one.eventsPerSecond),
    line('search of all for a type that none has: events/s', (one) => one.searchedPerSecond),
    line('on disk, an event', ({ bytes }) => bytes / 1_024, 'kB'),
  ];
}
