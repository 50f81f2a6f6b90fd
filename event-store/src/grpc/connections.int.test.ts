import { once } from 'node:events';
import { connect, type Socket } from 'node:net';
import { EventStoreDBClient } from '@eventstore/db-client';
import { status } from '@grpc/grpc-js';
import { describe, expect, it, vi } from 'vitest';
import { newStream, numbered, numbersOf, temporaryFolder } from '../conformance/subject.ts';
import { startEventStore } from '../server.ts';
import { RawClient } from '../testing/raw-client.ts';
import { appendEvent, appendOptions } from '../testing/raw-requests.ts';
import { startTestStore } from '../testing/test-store.ts';
import { CONNECTIONS_MAX, UNADMITTED_MAX } from './connections.ts';

const append = (raw: RawClient) =>
  raw.append([appendOptions(newStream()), appendEvent(Buffer.from('1'))]).ended;

describe('connections beyond the limit', () => {
  it('have their calls refused with the reason, until others are closed', async () => {
    await using opened = new AsyncDisposableStack();
    const { path } = opened.use(await temporaryFolder());
    const { port } = opened.use(await startEventStore({ dataDir: path, port: 0, users: null }));
    const clients = Array.from({ length: CONNECTIONS_MAX }, () => opened.use(new RawClient(port)));
    for (const raw of clients) expect((await append(raw)).code).toBe(status.OK);
    const { code, details } = await append(opened.use(new RawClient(port)));
    expect({ code, details }).toEqual({
      code: status.UNAVAILABLE,
      details: `the event store has ${CONNECTIONS_MAX} connections: close some`,
    });
    // The others are not affected, and one that is closed makes room.
    expect((await append(clients[1] as RawClient)).code).toBe(status.OK);
    clients[0]?.[Symbol.dispose]();
    await vi.waitUntil(async () => {
      using another = new RawClient(port);
      return (await append(another)).code === status.OK;
    });
  });
});

describe('connections without a password', () => {
  it('do not keep out a client with a password: the oldest of too many are closed', async () => {
    await using opened = new AsyncDisposableStack();
    const { path } = opened.use(await temporaryFolder());
    const store = opened.use(await startTestStore(path));
    const client = EventStoreDBClient.connectionString(store.connectionString);
    opened.defer(() => client.dispose());
    const stream = newStream();
    await client.appendToStream(stream, numbered(0, 1));
    const idle: Socket[] = [];
    opened.defer(() => {
      for (const socket of idle) socket.destroy();
    });
    for (let n = 0; n < CONNECTIONS_MAX + UNADMITTED_MAX; n += 1) {
      const socket = connect(store.port, '127.0.0.1');
      socket.on('error', () => {});
      await once(socket, 'connect');
      idle.push(socket);
    }
    await vi.waitUntil(() => idle.filter(({ closed }) => !closed).length === UNADMITTED_MAX);
    expect(idle.slice(0, CONNECTIONS_MAX).every(({ closed }) => closed)).toBe(true);
    // An open connection with a password continues, and a new one is served.
    await client.appendToStream(stream, numbered(1, 1));
    const another = EventStoreDBClient.connectionString(store.connectionString);
    opened.defer(() => another.dispose());
    expect(await numbersOf(another.readStream(stream))).toEqual([0, 1]);
  });
});
