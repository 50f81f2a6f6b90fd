import { on } from 'node:events';
import { readFile } from 'node:fs/promises';
import { EventStoreDBClient } from '@eventstore/db-client';
import { credentials, Metadata, status } from '@grpc/grpc-js';
import { describe, expect, it } from 'vitest';
import { newStream, numbered, temporaryFolder } from '../conformance/subject.ts';
import { usersGrpc, usersPb } from '../grpc/protocol.ts';
import { sendPartOfMessage } from '../testing/raw-client.ts';
import { startTestStore, testUsers } from '../testing/test-store.ts';
import { authorityFile } from './tls-files.ts';

const MB = 1024 * 1024;

async function started() {
  await using opening = new AsyncDisposableStack();
  const { path } = opening.use(await temporaryFolder());
  const users = testUsers();
  const server = opening.use(await startTestStore(path, users));
  const ca = await readFile(authorityFile(path));
  const as = (name: keyof typeof users) =>
    resources.adopt(EventStoreDBClient.connectionString(server.urlOf(name)), (one) =>
      one.dispose(),
    );
  const resources = opening.move();
  return { server, users, ca, as, [Symbol.asyncDispose]: () => resources.disposeAsync() };
}

async function createUser(port: number, ca: Buffer, adminPassword: string, loginName: string) {
  const users = new usersGrpc.UsersClient(`localhost:${port}`, credentials.createSsl(ca));
  const metadata = new Metadata();
  const login = Buffer.from(`admin:${adminPassword}`).toString('base64');
  metadata.set('authorization', `Basic ${login}`);
  const options = new usersPb.CreateReq.Options().setLoginName(loginName).setPassword('secret');
  await new Promise<void>((resolve, reject) => {
    users.create(new usersPb.CreateReq().setOptions(options), metadata, (error) =>
      error ? reject(error) : resolve(),
    );
  });
  users.close();
}

describe('calls without credentials', () => {
  it('are refused before their messages are read, and leave room for others', async () => {
    await using store = await started();
    const { port } = store.server;
    const parts = Array.from({ length: 20 }, () => sendPartOfMessage(port, 8 * MB, store.ca));
    const ends = await Promise.all(parts.map(({ status: ended }) => ended));
    expect(new Set(ends)).toEqual(new Set([`${status.PERMISSION_DENIED}`]));
    await store.as('writer').appendToStream(newStream(), numbered(0, 1));
    for (const { connection } of parts) connection.destroy();
  });
});

describe('$all', () => {
  it('shows password hashes to administrators only', async () => {
    await using store = await started();
    await createUser(store.server.port, store.ca, store.users.admin, 'mallory');
    const stream = newStream();
    await store.as('writer').appendToStream(stream, numbered(0, 1));
    for (const name of ['writer', 'reader', 'admin'] as const) {
      const one = store.as(name);
      const read = await Array.fromAsync(one.readAll());
      const subscription = one.subscribeToAll();
      const followed = new Set<string>();
      for await (const [{ event }] of on(subscription, 'data')) {
        followed.add(event.streamId);
        if (event.streamId === stream) break;
      }
      await subscription.unsubscribe();
      for (const seen of [new Set(read.map(({ event }) => event?.streamId)), followed]) {
        expect(seen.has(stream), name).toBe(true);
        expect(seen.has('$user-mallory'), name).toBe(name === 'admin');
      }
    }
  });
});
