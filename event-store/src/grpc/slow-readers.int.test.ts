import { readFile } from 'node:fs/promises';
import { binaryEvent, EventStoreDBClient } from '@eventstore/db-client';
import type { ReadResp } from '@eventstore/db-client/generated/streams_pb.js';
import { status } from '@grpc/grpc-js';
import { describe, expect, it } from 'vitest';
import { newStream, numbered, numbersOf, temporaryFolder } from '../conformance/subject.ts';
import { ChildServer } from '../faults/child-server.ts';
import { startEventStore } from '../server.ts';
import { RawClient } from '../testing/raw-client.ts';
import { readAllWith, readStream } from '../testing/raw-requests.ts';

const KB = 1024;
/** Calls hold what they write in several forms, and it is collected late. */
const MEMORY_MB_MAX = 800;
const binary = (bytes: number, type = 'Large') =>
  binaryEvent({ type, data: Buffer.alloc(bytes, 'x') });

describe('a filtered subscription', () => {
  it.each([14, 15, 16, 17])(
    'continues after %i events of 64 KB that arrive before it has caught up',
    async (count) => {
      await using folder = await temporaryFolder();
      await using server = await startEventStore({ dataDir: folder.path, port: 0, users: null });
      const client = EventStoreDBClient.connectionString(server.urlOf('writer'));
      const stream = newStream();
      for (let n = 0; n < count; n += 1) await client.appendToStream(stream, binary(64 * KB));
      using raw = new RawClient(server.port);
      const { call } = raw.read(
        readAllWith({ prefixes: ['Large', 'Last'] }, { isSubscription: true }),
      );
      const reader = call[Symbol.asyncIterator]() as AsyncIterator<ReadResp>;
      const readUntil = async (isLast: (response: ReadResp) => boolean) => {
        for (;;) {
          const { value } = await reader.next();
          if (isLast(value)) return;
        }
      };
      await readUntil((response) => response.hasCaughtUp());
      // First what the filter leaves out: it writes nothing, and has to be waited for no one.
      await client.appendToStream(stream, binary(1, 'Other'));
      await client.appendToStream(stream, binary(1, 'Last'));
      await readUntil(
        (response) => response.getEvent()?.getEvent()?.getMetadataMap().get('type') === 'Last',
      );
      call.cancel();
      await client.dispose();
    },
  );
});

describe('clients that never read', () => {
  it('cost a limited amount of memory, and no other client notices', async () => {
    await using folder = await temporaryFolder();
    await using server = await ChildServer.startInsecure(folder.path);
    // A slow machine that is busy with all that the server holds may answer late.
    const url = `${server.url}&keepAliveTimeout=60000&defaultDeadline=60000`;
    const client = EventStoreDBClient.connectionString(url);
    const stream = newStream();
    for (let n = 0; n < 20; n += 1) await client.appendToStream(stream, binary(1_000 * KB));
    const port = Number(/:(\d+)/.exec(server.url)?.[1]);
    using clients = new DisposableStack();
    const ends = Array.from({ length: 4 }, () => clients.use(new RawClient(port))).flatMap((raw) =>
      Array.from({ length: 90 }, () => raw.read(readStream(stream)).ended),
    );
    expect(await Promise.race(ends)).toMatchObject({ code: status.RESOURCE_EXHAUSTED });

    const other = newStream();
    await client.appendToStream(other, numbered(0, 3));
    expect(await numbersOf(client.readStream(other))).toEqual([0, 1, 2]);
    const all = await Array.fromAsync(client.readStream(stream));
    expect(all).toHaveLength(20);
    const memory = await readFile(`/proc/${server.process.pid}/status`, 'utf8');
    expect(Number(/VmHWM:\s+(\d+) kB/.exec(memory)?.[1]) / KB).toBeLessThan(MEMORY_MB_MAX);
    await client.dispose();
  });
});

describe('a filter that is slow', () => {
  it('does not hold up other calls', async () => {
    await using folder = await temporaryFolder();
    await using server = await startEventStore({ dataDir: folder.path, port: 0, users: null });
    const client = EventStoreDBClient.connectionString(server.urlOf('writer'));
    // Each text is new to the expression, so that nothing of it is remembered.
    const texts = Array.from({ length: 400 }, (_, n) =>
      Array.from({ length: 2_000 }, (__, i) => 'ab'[(((n + 1) * i * i) % 7) & 1]).join(''),
    );
    for (let n = 0; n < texts.length; n += 20) {
      const events = texts.slice(n, n + 20).map((type) => binary(1, type));
      await client.appendToStream(newStream(), events);
    }
    // Before the search: a busy disk can take longer to store it than the search takes.
    const other = newStream();
    await client.appendToStream(other, numbered(0, 1));
    using raw = new RawClient(server.port);
    const { call, ended } = raw.read(readAllWith({ regex: '(?:[ab]{0,90}b?a){2}c$' }));
    call.resume();
    let answers = 0;
    let isOver = false;
    void ended.then(() => {
      isOver = true;
    });
    while (!isOver) {
      await numbersOf(client.readStream(other));
      answers += 1;
    }
    expect((await ended).code).toBe(status.OK);
    expect(answers).toBeGreaterThan(20);
    await client.dispose();
  });
});
