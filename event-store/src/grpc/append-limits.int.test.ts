import { readFile } from 'node:fs/promises';
import { binaryEvent, EventStoreDBClient } from '@eventstore/db-client';
import { status } from '@grpc/grpc-js';
import { sampleOf } from '@tallyhand/test-kit/cases';
import { describe, expect, it } from 'vitest';
import { newStream, numbered, temporaryFolder } from '../conformance/subject.ts';
import { ChildServer } from '../faults/child-server.ts';
import { RawClient, sendPartOfMessage } from '../testing/raw-client.ts';
import { appendEvent, appendOptions, batchMessage, batchOptions } from '../testing/raw-requests.ts';

const MB = 1024 * 1024;
const LARGE = Buffer.alloc(MB - 4_096, 'x');
/** What the server may need beside itself: its limits, and as much again that is not collected. */
const MEMORY_MB_MAX = 500;
/** A busy machine takes longer than the client's own 10 s. */
const DEADLINE_MS = 55_000;

/** The largest memory that the process ever had, in MB. */
async function peakMemoryMb({ process }: ChildServer): Promise<number> {
  const text = await readFile(`/proc/${process.pid}/status`, 'utf8');
  return Number(/VmHWM:\s+(\d+) kB/.exec(text)?.[1]) / 1024;
}

async function started() {
  await using opening = new AsyncDisposableStack();
  const { path } = opening.use(await temporaryFolder());
  const server = opening.use(await ChildServer.startInsecure(path));
  const client = EventStoreDBClient.connectionString(server.url);
  opening.defer(() => client.dispose());
  const port = Number(/:(\d+)/.exec(server.url)?.[1]);
  const resources = opening.move();
  return { server, client, port, [Symbol.asyncDispose]: () => resources.disposeAsync() };
}

describe('appends that are never finished', () => {
  it('end their batch call when it has too many, and no other', async () => {
    await using store = await started();
    using raw = new RawClient(store.port);
    const { call, ended } = raw.batch();
    for (let n = 0; n < 600; n += 1) {
      call.write(batchMessage(batchOptions(newStream()), LARGE, { isFinal: false }));
    }
    const { code, details } = await ended;
    expect({ code, details }).toEqual({
      code: status.RESOURCE_EXHAUSTED,
      details: 'the call holds too much that is unfinished',
    });
    await store.client.appendToStream(newStream(), numbered(0, 1));
    expect(await peakMemoryMb(store.server)).toBeLessThan(MEMORY_MB_MAX);
  });

  it('of one call each, from several connections, are refused when all hold too much', async () => {
    await using store = await started();
    using clients = new DisposableStack();
    const ends = Array.from({ length: 6 }, () => clients.use(new RawClient(store.port))).flatMap(
      (raw) =>
        Array.from({ length: 50 }, () => {
          const messages = [appendOptions(newStream()), appendEvent(LARGE)];
          return raw.append(messages, { isOpen: true }).ended;
        }),
    );
    const { code, details } = await Promise.race(ends);
    expect({ code, details }).toEqual({
      code: status.RESOURCE_EXHAUSTED,
      details: 'all calls together hold too much that is unfinished',
    });
    expect(await peakMemoryMb(store.server)).toBeLessThan(MEMORY_MB_MAX);
  });

  it('in messages that are not complete count as well', async () => {
    await using store = await started();
    const parts = Array.from({ length: 12 }, () => sendPartOfMessage(store.port, 16 * MB));
    const refused = await Promise.race(parts.map(({ status: ended }) => ended));
    expect(refused).toBe(`${status.RESOURCE_EXHAUSTED}`);
    for (const { connection } of parts) connection.destroy();
    expect(await peakMemoryMb(store.server)).toBeLessThan(MEMORY_MB_MAX);
  });
});

describe('many large appends at once', () => {
  it.each(
    sampleOf(
      [
        ['batch append', { deadline: DEADLINE_MS }],
        [
          'append',
          { credentials: { username: 'admin', password: 'changeit' }, deadline: DEADLINE_MS },
        ],
      ] as const,
      2,
    ),
  )('from the official client are all accepted, by %s', async (_name, path) => {
    await using store = await started();
    const appends = Array.from({ length: 300 }, () =>
      store.client.appendToStream(newStream(), binaryEvent({ type: 'Large', data: LARGE }), path),
    );
    expect(await Promise.all(appends)).toHaveLength(300);
    expect(await peakMemoryMb(store.server)).toBeLessThan(MEMORY_MB_MAX);
  });
});
