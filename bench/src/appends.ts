import { deepStrictEqual } from 'node:assert';
import { randomBytes, randomUUID } from 'node:crypto';
import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { newId } from '@tallyhand/service-kit/crypto/ids';
import { type EventLog, openEventLog } from '@tallyhand/service-kit/event-store/event-log';
import { startEventStore } from './ledger-backends.ts';
import { percentile } from './load.ts';
import { processorMs } from './processes.ts';
import { type Row, ratio, row } from './table.ts';

const APPENDERS = 64;
const READERS = 16;
const WARM_UP_MS = 2_000;
const ROUND_MS = 3_000;
const ROUNDS = 5;

type Side = {
  readonly pid: number;
  readonly eventLog: EventLog;
  /** The newest revision of each appender's stream. */
  readonly revisions: bigint[];
  readonly streams: readonly string[];
};
type Figures = { readonly perSecond: number; readonly storeMs: number; readonly clientMs: number };
type Work = (side: Side, worker: number) => Promise<void>;

/** P7: the embedded event store with users and TLS, against itself with `--insecure`, in turns. */
export async function measureAppends(): Promise<Row[]> {
  await using opening = new AsyncDisposableStack();
  const secure = await openSide(opening, randomBytes(32).toString('base64url'));
  const insecure = await openSide(opening, null);
  const appends = await compare({ secure, insecure }, APPENDERS, appendOne);
  const reads = await compare({ secure, insecure }, READERS, readOne);
  for (const side of [secure, insecure]) await checkAll(side);
  return [
    ...rowsOf(`durable appends, ${APPENDERS} appenders`, 'append', appends),
    ...rowsOf(`reads of a stream's last event, ${READERS} readers`, 'read', reads),
  ];
}

async function openSide(opening: AsyncDisposableStack, masterKey: string | null): Promise<Side> {
  const folder = await mkdtemp(join(tmpdir(), 'tallyhand-bench-appends-'));
  opening.defer(() => rm(folder, { recursive: true, force: true }));
  const { pid, url } = opening.use(await startEventStore(join(folder, 'events'), masterKey));
  const eventLog = opening.adopt(openEventLog(url), (log) => log.close());
  const streams = Array.from({ length: APPENDERS }, () => `agent-${randomUUID()}`);
  return { pid, eventLog, streams, revisions: streams.map(() => -1n) };
}

const event = () => ({
  id: newId(),
  type: 'AgentPaused',
  data: { agentId: randomUUID(), note: 'as long as the usual event of the product is' },
  envelope: {
    schemaVersion: 1,
    organizationId: randomUUID(),
    actor: { kind: 'member', id: randomUUID() },
    correlationId: randomUUID(),
    causationId: null,
    commandId: newId(),
    recordedAt: new Date().toISOString(),
  },
});

async function appendOne({ eventLog, streams, revisions }: Side, worker: number): Promise<void> {
  const known = revisions[worker] ?? -1n;
  const expected = known < 0n ? null : known;
  const { revision } = await eventLog.append(streams[worker] ?? '', [event()], expected);
  revisions[worker] = revision;
}

async function readOne({ eventLog, streams }: Side, worker: number): Promise<void> {
  if (!(await eventLog.last(streams[worker] ?? ''))) throw new Error('A stream is empty');
}

type Sides = { readonly secure: Side; readonly insecure: Side };
type Compared = { readonly secure: Figures; readonly insecure: Figures };

/** Medians of rounds that the sides take in turns. */
async function compare(sides: Sides, workers: number, work: Work): Promise<Compared> {
  for (const side of [sides.secure, sides.insecure]) await measure(side, workers, WARM_UP_MS, work);
  const rounds: Record<keyof Sides, Figures[]> = { secure: [], insecure: [] };
  for (let round = 0; round < ROUNDS; round += 1) {
    for (const name of ['secure', 'insecure'] as const) {
      rounds[name].push(await measure(sides[name], workers, ROUND_MS, work));
    }
  }
  return { secure: median(rounds.secure), insecure: median(rounds.insecure) };
}

async function measure(side: Side, workers: number, forMs: number, work: Work): Promise<Figures> {
  const [storeBefore, clientBefore] = [processorMs(side.pid), process.cpuUsage()];
  const began = performance.now();
  let count = 0;
  await Promise.all(
    Array.from({ length: workers }, async (_, worker) => {
      while (performance.now() - began < forMs) {
        await work(side, worker);
        count += 1;
      }
    }),
  );
  const seconds = (performance.now() - began) / 1_000;
  const { user, system } = process.cpuUsage(clientBefore);
  return {
    perSecond: count / seconds,
    storeMs: (processorMs(side.pid) - storeBefore) / count,
    clientMs: (user + system) / 1_000 / count,
  };
}

const median = (rounds: readonly Figures[]): Figures => ({
  perSecond: middle(rounds.map(({ perSecond }) => perSecond)),
  storeMs: middle(rounds.map(({ storeMs }) => storeMs)),
  clientMs: middle(rounds.map(({ clientMs }) => clientMs)),
});

const middle = (values: readonly number[]) =>
  percentile(
    values.toSorted((a, b) => a - b),
    50,
  );

/** Each stream holds what its appender was told that it holds. */
async function checkAll({ eventLog, streams, revisions }: Side): Promise<void> {
  for (const [worker, stream] of streams.entries()) {
    const events = await Array.fromAsync(eventLog.read(stream, 0n));
    deepStrictEqual(events.at(-1)?.revision, revisions[worker]);
    deepStrictEqual(BigInt(events.length), (revisions[worker] ?? -1n) + 1n);
  }
}

function rowsOf(what: string, one: string, { secure, insecure }: Compared): Row[] {
  const us = (value: number) => `${(value * 1_000).toFixed(0)} µs`;
  return [
    row(`${what}, with users and TLS: per second`, secure.perSecond.toFixed(0)),
    row('the same with --insecure: per second', insecure.perSecond.toFixed(0)),
    row(
      `with users and TLS against --insecure: ${one}s per second`,
      ratio(secure.perSecond, insecure.perSecond),
    ),
    row(
      `processor time of the store for each ${one}, with and without`,
      `${us(secure.storeMs)}, ${us(insecure.storeMs)}`,
    ),
    row(
      `processor time of the client for each ${one}, with and without`,
      `${us(secure.clientMs)}, ${us(insecure.clientMs)}`,
    ),
    row(
      `processor time of both against --insecure, each ${one}`,
      ratio(secure.storeMs + secure.clientMs, insecure.storeMs + insecure.clientMs),
    ),
  ];
}
