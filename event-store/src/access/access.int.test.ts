import { mkdirSync, writeFileSync } from 'node:fs';
import { readdir, readFile, stat } from 'node:fs/promises';
import { join } from 'node:path';
import { EventStoreDBClient } from '@eventstore/db-client';
import { createUUID } from '@eventstore/db-client/dist/utils/grpcUUID.js';
import { type ChannelCredentials, credentials, Metadata, status } from '@grpc/grpc-js';
import { afterAll, afterEach, beforeAll, describe, expect, it, vi } from 'vitest';
import { newStream, numbered, numbersOf, temporaryFolder } from '../conformance/subject.ts';
import { ChildServer, users as programUsers } from '../faults/child-server.ts';
import {
  emptyPb,
  featuresGrpc,
  gossipGrpc,
  sharedPb,
  streamsGrpc,
  streamsPb,
  usersGrpc,
  usersPb,
} from '../grpc/protocol.ts';
import { type EventStoreServer, startEventStore } from '../server.ts';
import { startTestStore, testUsers } from '../testing/test-store.ts';
import { authorityFile } from './tls-files.ts';

const users = testUsers();
const opened = new AsyncDisposableStack();
let server: EventStoreServer;
let secure: ChannelCredentials;

beforeAll(async () => {
  const { path } = opened.use(await temporaryFolder());
  server = opened.use(await startTestStore(path, users));
  secure = credentials.createSsl(await readFile(authorityFile(path)));
});
afterAll(() => opened.disposeAsync());
afterEach(() => {
  vi.restoreAllMocks();
});

/** A client of a test's own, until all end. */
function client(url: string): EventStoreDBClient {
  return opened.adopt(EventStoreDBClient.connectionString(url), (one) => one.dispose());
}

const as = (name: keyof typeof users) => client(server.urlOf(name));
const denied = { type: 'access-denied' };

function headers(login: string | null): Metadata {
  const metadata = new Metadata();
  if (login) metadata.set('authorization', `Basic ${Buffer.from(login).toString('base64')}`);
  return metadata;
}

const nameOf = (stream: string) =>
  new sharedPb.StreamIdentifier().setStreamName(Buffer.from(stream));

type Service<T> = new (address: string, credentials: ChannelCredentials) => T;
type Done = (error: { code: number } | null) => void;
type Stream = {
  on(event: string, listener: (value: { code: number }) => void): unknown;
  write(message: unknown): unknown;
  end(): unknown;
};

/** The status with which each call of each service ends for this login. */
const calls: Record<string, (metadata: Metadata) => Promise<number>> = {
  Append: (metadata) =>
    unary(streamsGrpc.StreamsClient, (streams, done) => {
      const call = streams.append(metadata, done);
      const options = new streamsPb.AppendReq.Options().setStreamIdentifier(nameOf(newStream()));
      call.write(new streamsPb.AppendReq().setOptions(options.setAny(new sharedPb.Empty())));
      call.end();
    }),
  BatchAppend: (metadata) =>
    streamed(streamsGrpc.StreamsClient, (streams) => {
      const call = streams.batchAppend(metadata);
      const options = new streamsPb.BatchAppendReq.Options();
      options.setStreamIdentifier(nameOf(newStream())).setAny(new emptyPb.Empty());
      const request = new streamsPb.BatchAppendReq().setOptions(options).setIsFinal(true);
      call.write(request.setCorrelationId(createUUID('1f0c6e0e-6d29-4c27-8ab0-7b4f8a0c6a11')));
      call.end();
      return call;
    }),
  'Read of $all': (metadata) =>
    streamed(streamsGrpc.StreamsClient, (streams) =>
      streams.read(
        readRequest((options) => options.setAll(allFromStart())),
        metadata,
      ),
    ),
  'Read of a stream': (metadata) =>
    streamed(streamsGrpc.StreamsClient, (streams) =>
      streams.read(
        readRequest((options) => options.setStream(streamFromStart())),
        metadata,
      ),
    ),
  Delete: (metadata) =>
    unary(streamsGrpc.StreamsClient, (streams, done) =>
      streams.delete(new streamsPb.DeleteReq(), metadata, done),
    ),
  Tombstone: (metadata) =>
    unary(streamsGrpc.StreamsClient, (streams, done) =>
      streams.tombstone(new streamsPb.TombstoneReq(), metadata, done),
    ),
  'Users.Create': (metadata) =>
    unary(usersGrpc.UsersClient, (one, done) => {
      const options = new usersPb.CreateReq.Options().setLoginName('mallory').setPassword('x');
      one.create(new usersPb.CreateReq().setOptions(options), metadata, done);
    }),
  'Users.ResetPassword': (metadata) =>
    unary(usersGrpc.UsersClient, (one, done) => {
      const options = new usersPb.ResetPasswordReq.Options().setLoginName('reader');
      one.resetPassword(new usersPb.ResetPasswordReq().setOptions(options), metadata, done);
    }),
  'ServerFeatures.GetSupportedMethods': (metadata) =>
    unary(featuresGrpc.ServerFeaturesClient, (one, done) =>
      one.getSupportedMethods(new sharedPb.Empty(), metadata, done),
    ),
  'Gossip.Read': (metadata) =>
    unary(gossipGrpc.GossipClient, (one, done) => one.read(new sharedPb.Empty(), metadata, done)),
};

/** What the official client requests before it sends credentials; EventStoreDB answers anyone. */
const PUBLIC = ['ServerFeatures.GetSupportedMethods', 'Gossip.Read'];

function readRequest(set: (options: InstanceType<typeof streamsPb.ReadReq.Options>) => unknown) {
  const { Options } = streamsPb.ReadReq;
  const options = new Options().setCount('1').setNoFilter(new sharedPb.Empty());
  const uuids = new Options.UUIDOption().setString(new sharedPb.Empty());
  set(options.setUuidOption(uuids).setReadDirection(Options.ReadDirection.FORWARDS));
  return new streamsPb.ReadReq().setOptions(options);
}

const allFromStart = () =>
  new streamsPb.ReadReq.Options.AllOptions().setStart(new sharedPb.Empty());
const streamFromStart = () =>
  new streamsPb.ReadReq.Options.StreamOptions()
    .setStreamIdentifier(nameOf('any-1'))
    .setStart(new sharedPb.Empty());

function open<T extends { close(): void }>(Client: Service<T>): T {
  return opened.adopt(new Client(`localhost:${server.port}`, secure), (one) => one.close());
}

function unary<T extends { close(): void }>(
  Client: Service<T>,
  call: (one: T, done: Done) => unknown,
): Promise<number> {
  return new Promise((resolve) => {
    call(open(Client), (error) => resolve(error?.code ?? status.OK));
  });
}

/** An append that is refused by its own answer, not by the call's end, has that answer's code. */
function streamed<T extends { close(): void }>(
  Client: Service<T>,
  call: (one: T) => unknown,
): Promise<number> {
  return new Promise((resolve) => {
    const stream = call(open(Client)) as Stream;
    let refused: number = status.OK;
    stream.on('data', (answer) => {
      if (answer instanceof streamsPb.BatchAppendResp) refused = answer.getError()?.getCode() ?? 0;
    });
    stream.on('error', () => {});
    stream.on('status', ({ code }) => resolve(code === status.OK ? refused : code));
  });
}

describe('a call', () => {
  it.each(Object.keys(calls))('of %s without credentials gets nothing', async (name) => {
    const expected = PUBLIC.includes(name) ? status.OK : status.PERMISSION_DENIED;
    expect(await calls[name]?.(headers(null))).toBe(expected);
  });

  it.each(Object.keys(calls))('of %s with a wrong password is UNAUTHENTICATED', async (name) => {
    vi.spyOn(console, 'error').mockReturnValue();
    for (const login of ['writer:wrong', 'unknown:wrong', `reader:${users.writer}`, 'writer']) {
      expect(await calls[name]?.(headers(login)), login).toBe(status.UNAUTHENTICATED);
    }
  });

  it('without TLS reaches nothing', async () => {
    const url = `esdb://writer:${users.writer}@127.0.0.1:${server.port}?tls=false&defaultDeadline=2000`;
    const plain = client(url);
    await expect(Array.fromAsync(plain.readAll())).rejects.toThrow();
    await expect(plain.appendToStream(newStream(), numbered(0, 1))).rejects.toThrow();
  });

  it('of unsupported features is refused by name', async () => {
    expect(await calls.Delete?.(headers(`writer:${users.writer}`))).toBe(status.UNIMPLEMENTED);
    const writer = as('writer');
    const group = writer.createPersistentSubscriptionToStream('any-1', 'group', {} as never);
    await expect(group).rejects.toThrow();
    await expect(writer.createProjection('p', 'fromAll()')).rejects.toThrow();
  });
});

describe('the users', () => {
  it('are a writer that appends and reads, and a reader that only reads', async () => {
    const [writer, reader] = [as('writer'), as('reader')];
    const stream = newStream();
    await writer.appendToStream(stream, numbered(0, 2));
    expect(await numbersOf(writer.readStream(stream))).toEqual([0, 1]);
    expect(await numbersOf(reader.readStream(stream))).toEqual([0, 1]);
    expect(await Array.fromAsync(reader.readAll())).not.toHaveLength(0);
    const byBatch = reader.appendToStream(stream, numbered(2, 1));
    await expect(byBatch).rejects.toMatchObject(denied);
    // With credentials of the call the client takes Append, without BatchAppend.
    const own = { credentials: { username: 'reader', password: users.reader } };
    await expect(reader.appendToStream(stream, numbered(2, 1), own)).rejects.toMatchObject(denied);
    expect(await numbersOf(reader.readStream(stream))).toEqual([0, 1]);
  });

  it('change no rights, unless they are administrators', async () => {
    const acl = { acl: { readRoles: ['$all'], writeRoles: ['$all'] } };
    const stream = newStream();
    for (const name of ['writer', 'reader'] as const) {
      const one = as(name);
      await expect(one.setStreamMetadata(stream, acl)).rejects.toMatchObject(denied);
      for (const system of ['$settings', '$user-mallory', '$$$all']) {
        await expect(one.appendToStream(system, numbered(0, 1))).rejects.toMatchObject(denied);
        const read = Array.fromAsync(one.readStream(system));
        await expect(read).rejects.toMatchObject(denied);
      }
    }
    await as('admin').setStreamMetadata(stream, acl);
    await as('reader').appendToStream(stream, numbered(0, 1));
  });

  it('are refused in the log once for each name, without the password', async () => {
    const log = vi.spyOn(console, 'error').mockReturnValue();
    for (let attempt = 0; attempt < 3; attempt += 1) {
      await calls.Append?.(headers('guesser:a-password-that-was-tried'));
    }
    const lines = log.mock.calls.flat().filter((line) => String(line).includes('guesser'));
    expect(lines).toHaveLength(1);
    expect(lines.join()).not.toContain('a-password-that-was-tried');
  });
});

describe('a store of an earlier release', () => {
  it('starts with its events, takes users, and keeps its certificate over restarts', async () => {
    await using folder = await temporaryFolder();
    const stream = newStream();
    {
      await using before = await startEventStore({ dataDir: folder.path, port: 0, users: null });
      await using old = owned(before.urlOf('writer'));
      await old.client.appendToStream(stream, numbered(0, 2));
    }
    expect(await readdir(folder.path)).not.toContain('tls');
    const port = await (async () => {
      await using first = await startTestStore(folder.path, users);
      return first.port;
    })();
    await using running = owned(
      await (async () => {
        await using first = await startEventStore({ dataDir: folder.path, port, users });
        return first.urlOf('writer');
      })(),
    );
    const { path } = folder;
    for (const run of [0, 1]) {
      await using _next = await startEventStore({ dataDir: path, port, users });
      await vi.waitFor(() => running.client.appendToStream(stream, numbered(2 + run, 1)));
    }
    await using last = await startEventStore({ dataDir: path, port: 0, users });
    await using reader = owned(last.urlOf('reader'));
    expect(await numbersOf(reader.client.readStream(stream))).toEqual([0, 1, 2, 3]);
    for (const file of await readdir(join(path, 'tls'))) {
      expect((await stat(join(path, 'tls', file))).mode & 0o777, file).toBe(0o600);
    }
  });
});

describe('a user that an administrator makes', () => {
  it('has the rights that a list gives, over restarts, until its password is another', async () => {
    await using folder = await temporaryFolder();
    const stream = newStream();
    const urlFor = (of: EventStoreServer, password: string) =>
      of.urlOf('admin').replace(/\/\/[^@]+@/, `//clerk:${password}@`);
    const asAdmin = headers(`admin:${users.admin}`);
    const change = async (at: EventStoreServer, password: string, isNew: boolean) => {
      const secured = credentials.createSsl(await readFile(authorityFile(folder.path)));
      const one = new usersGrpc.UsersClient(`localhost:${at.port}`, secured);
      try {
        return await new Promise<number>((resolve) => {
          const done: Done = (error) => resolve(error?.code ?? status.OK);
          const created = new usersPb.CreateReq.Options().setLoginName('clerk');
          const reset = new usersPb.ResetPasswordReq.Options().setLoginName('clerk');
          if (isNew) {
            const request = new usersPb.CreateReq().setOptions(created.setPassword(password));
            one.create(request, asAdmin, done);
          } else {
            const request = new usersPb.ResetPasswordReq();
            one.resetPassword(request.setOptions(reset.setNewPassword(password)), asAdmin, done);
          }
        });
      } finally {
        one.close();
      }
    };
    {
      await using first = await startTestStore(folder.path, users);
      expect(await change(first, 'first-password', true)).toBe(status.OK);
      expect(await change(first, 'first-password', true)).toBe(status.FAILED_PRECONDITION);
      await using clerk = owned(urlFor(first, 'first-password'));
      const append = () => clerk.client.appendToStream(stream, numbered(0, 1));
      await expect(append()).rejects.toMatchObject(denied);
      await using admin = owned(first.urlOf('admin'));
      await admin.client.setStreamMetadata(stream, { acl: { writeRoles: ['clerk'] } });
      await append();
      await expect(Array.fromAsync(clerk.client.readStream(stream))).rejects.toMatchObject(denied);
    }
    await using second = await startTestStore(folder.path, users);
    await using clerk = owned(urlFor(second, 'first-password'));
    await clerk.client.appendToStream(stream, numbered(1, 1));
    expect(await change(second, 'second-password', false)).toBe(status.OK);
    vi.spyOn(console, 'error').mockReturnValue();
    await using old = owned(urlFor(second, 'first-password'));
    await expect(old.client.appendToStream(stream, numbered(2, 1))).rejects.toMatchObject(denied);
    await using changed = owned(urlFor(second, 'second-password'));
    await changed.client.appendToStream(stream, numbered(2, 1));
  });
});

function owned(url: string): AsyncDisposable & { readonly client: EventStoreDBClient } {
  const one = EventStoreDBClient.connectionString(url);
  return { client: one, [Symbol.asyncDispose]: () => one.dispose() };
}

describe('the program', () => {
  const empty = Object.fromEntries(
    ['WRITER', 'READER', 'ADMIN'].map((user) => [`EVENT_STORE_${user}_PASSWORD`, '']),
  );

  it('refuses to start without passwords, and explains how to give them', async () => {
    await using folder = await temporaryFolder();
    const args = ['--port', '0', '--data', folder.path];
    const { code, output } = await ChildServer.run('main', args, empty);
    expect(code).toBe(1);
    expect(output).toContain('EVENT_STORE_WRITER_PASSWORD');
    expect(output).toContain('--insecure');
    const short = { ...empty, EVENT_STORE_WRITER_PASSWORD: 'short' };
    const refused = await ChildServer.run('main', args, short);
    expect(refused.output).toBe(
      'event store: EVENT_STORE_WRITER_PASSWORD must have 16 characters or more\n',
    );
  });

  it('takes passwords from files, and shows none in its arguments', async () => {
    await using folder = await temporaryFolder();
    const files = Object.fromEntries(
      (['writer', 'reader'] as const).map((name) => {
        const file = join(folder.path, name);
        writeFileSync(file, `${programUsers[name]}\n`);
        return [`EVENT_STORE_${name.toUpperCase()}_PASSWORD_FILE`, file];
      }),
    );
    const dataDir = join(folder.path, 'events');
    await using child = await ChildServer.start(dataDir, 0, { ...empty, ...files });
    await using writer = owned(child.url);
    await writer.client.appendToStream(newStream(), numbered(0, 1));
    expect(child.process.spawnargs.join(' ')).not.toContain(programUsers.writer);
  });

  it('keeps its files private in a folder that others may enter', async () => {
    await using folder = await temporaryFolder();
    const dataDir = join(folder.path, 'entered');
    mkdirSync(dataDir, { mode: 0o755 });
    await using _child = await ChildServer.start(dataDir);
    for (const name of ['events.db', 'lock.db']) {
      expect((await stat(join(dataDir, name))).mode & 0o077, name).toBe(0);
    }
  });

  it('serves without users with --insecure, and announces it', async () => {
    await using folder = await temporaryFolder();
    await using child = await ChildServer.startInsecure(folder.path, empty);
    expect(child.output).toContain('everyone on this machine may read and append');
    await using anyone = owned(child.url);
    const stream = newStream();
    await anyone.client.appendToStream(stream, numbered(0, 2));
    expect(await numbersOf(anyone.client.readStream(stream))).toEqual([0, 1]);
  });
});
