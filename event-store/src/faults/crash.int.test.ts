import { once } from 'node:events';
import { appendFile, copyFile, mkdir, readFile, writeFile } from 'node:fs/promises';
import { createServer } from 'node:net';
import { join } from 'node:path';
import { Worker } from 'node:worker_threads';
import { EventStoreDBClient, UnavailableError } from '@eventstore/db-client';
import { freePort } from '@tallyhand/service-kit/free-port';
import { caseRuns, sampleOf } from '@tallyhand/test-kit/cases';
import { describe, expect, it } from 'vitest';
import { newStream, numbered, numbersOf, temporaryFolder } from '../conformance/subject.ts';
import { startTestStore } from '../testing/test-store.ts';
import { ChildServer } from './child-server.ts';

const { connectionString } = EventStoreDBClient;

/**
 * Appends from many writers until the server is gone, and gives the events that were acknowledged.
 */
async function appendUntilKilled(server: ChildServer & { url: string }, killAfter: number) {
  const client = connectionString`${server.url}`;
  const acknowledged = new Map<string, number>();
  let total = 0;
  let isKilled = false;
  const writers = Array.from({ length: 16 }, async () => {
    const stream = newStream('crash');
    for (let n = 0; !isKilled; n += 1) {
      const expectedRevision = n === 0 ? ('no_stream' as const) : BigInt(n - 1);
      await client.appendToStream(stream, numbered(n, 1), { expectedRevision });
      acknowledged.set(stream, n);
      total += 1;
      if (total >= killAfter && !isKilled) {
        isKilled = true;
        server.process.kill('SIGKILL');
      }
    }
  });
  await Promise.allSettled(writers);
  await server.exit();
  return acknowledged;
}

async function expectAll(url: string, acknowledged: ReadonlyMap<string, number>): Promise<void> {
  const client = connectionString`${url}`;
  expect(acknowledged.size).toBeGreaterThan(0);
  for (const [stream, last] of acknowledged) {
    const numbers = await numbersOf(client.readStream(stream));
    // One more may be stored whose acknowledgement was lost.
    expect([last + 1, last + 2]).toContain(numbers.length);
    expect(numbers).toEqual(numbers.map((_, n) => n));
  }
  await client.dispose();
}

describe('a server that is killed in the middle of appends', () => {
  it('has every acknowledged event after each restart', async () => {
    await using folder = await temporaryFolder();
    for (const killAfter of sampleOf([1, 300, 900], 3)) {
      const server = await ChildServer.start(folder.path);
      const acknowledged = await appendUntilKilled(server, killAfter);
      await using restarted = await ChildServer.start(folder.path);
      await expectAll(restarted.url, acknowledged);
    }
    const { code, output } = await ChildServer.run('verify', ['--data', folder.path]);
    expect(output).toMatch(/whole/);
    expect(code).toBe(0);
  });

  it('drops a torn tail that was never acknowledged', async () => {
    await using folder = await temporaryFolder();
    const server = await ChildServer.start(folder.path);
    const acknowledged = await appendUntilKilled(server, 300);
    await appendFile(join(folder.path, 'events.db-wal'), Buffer.alloc(5_000, 0x5a));
    await using restarted = await ChildServer.start(folder.path);
    await expectAll(restarted.url, acknowledged);
  });

  // So few events that the log was never emptied: all of them are in it.
  it.each([
    ['half of the log is gone', (log: Buffer) => log.subarray(0, log.length >> 1)],
    ['the log is gone', () => Buffer.alloc(0)],
    ['a byte in the middle of the log was altered', alterMiddle],
  ])('refuses to start when %s, and names the first event missing', async (_what, damage) => {
    await using folder = await temporaryFolder();
    const server = await ChildServer.start(folder.path);
    await appendUntilKilled(server, 100);
    const log = join(folder.path, 'events.db-wal');
    await writeFile(log, damage(await readFile(log)));
    const { code, output } = await ChildServer.run('main', ['--port', '0', '--data', folder.path]);
    expect(code).toBe(1);
    expect(output).toMatch(/^event store: damaged data at position \d+: .*acknowledged.*\n$/);
  });
});

function alterMiddle(log: Buffer): Buffer {
  const middle = log.length >> 1;
  log[middle] = (log[middle] ?? 0) ^ 1;
  return log;
}

describe('a server that is stopped', () => {
  it('keeps all events, ends, and clients find the next one', async () => {
    await using folder = await temporaryFolder();
    await using server = await ChildServer.start(folder.path);
    const client = connectionString`${server.url}`;
    const stream = newStream();
    const events = numbered(0, 3);
    await client.appendToStream(stream, events);
    const subscription = client.subscribeToStream(stream).on('data', () => {});
    const failed = new Promise((resolve) => subscription.once('error', resolve));
    await once(subscription, 'caughtUp');
    const { code } = await server.kill('SIGTERM');
    expect(code).toBe(0);
    expect(await failed).toBeInstanceOf(UnavailableError);

    const port = Number(new URL(server.url).port);
    await using _next = await ChildServer.start(folder.path, port);
    // The retry of an append whose acknowledgement was lost in the restart.
    expect((await client.appendToStream(stream, events)).nextExpectedRevision).toBe(2n);
    expect(await numbersOf(client.readStream(stream))).toEqual([0, 1, 2]);
    await client.dispose();
  });

  it('can be copied as a folder', async () => {
    await using folder = await temporaryFolder();
    const stream = newStream();
    {
      await using server = await startTestStore(folder.path);
      const client = connectionString`${server.connectionString}`;
      await client.appendToStream(stream, numbered(0, 5));
      await client.dispose();
    }
    const copy = join(folder.path, 'copy');
    await mkdir(copy);
    await copyFile(join(folder.path, 'events.db'), join(copy, 'events.db'));
    await copyFile(join(folder.path, 'head'), join(copy, 'head'));
    await using server = await startTestStore(copy);
    const client = connectionString`${server.connectionString}`;
    expect(await numbersOf(client.readStream(stream))).toEqual([0, 1, 2, 3, 4]);
    await client.dispose();
  });
});

describe('a second server', () => {
  it('is refused on a folder in use, by a message of one line', async () => {
    await using folder = await temporaryFolder();
    await using _server = await startTestStore(folder.path);
    await expect(startTestStore(folder.path)).rejects.toThrow(/in use/);
    const { code, output } = await ChildServer.run('main', ['--port', '0', '--data', folder.path]);
    expect(code).toBe(1);
    expect(output).toBe(`event store: ${folder.path} is in use by process ${process.pid}\n`);
  });

  it('is refused on a port that is taken', async () => {
    await using folder = await temporaryFolder();
    const other = createServer().listen(0, '127.0.0.1');
    await once(other, 'listening');
    const address = other.address();
    const port = typeof address === 'object' && address !== null ? address.port : 0;
    const { code, output } = await ChildServer.run('main', [
      '--port',
      `${port}`,
      '--data',
      folder.path,
    ]);
    expect(code).toBe(1);
    expect(output).toBe(`event store: port ${port} is taken by another program\n`);
    other.close();
  });
});

const STARTS = caseRuns(2, 10).numRuns;

describe('a starting server', () => {
  it('accepts no connection before it serves it', async () => {
    for (let n = 0; n < STARTS; n += 1) {
      await using folder = await temporaryFolder();
      const port = await freePort();
      using prober = await Prober.start(port);
      await using server = await ChildServer.startInsecure(folder.path, {}, port);
      expect(server.url).toContain(`:${port}`);
      expect(await prober.firstAnswer()).toBe('settings');
    }
  });
});

/**
 * In a separate thread: connects until it is admitted, and reports the outcome of that connection.
 */
class Prober implements Disposable {
  readonly #worker: Worker;
  readonly #answer: Promise<unknown>;

  private constructor(worker: Worker) {
    this.#worker = worker;
    this.#answer = once(worker, 'message').then(([answer]) => answer);
  }

  static async start(port: number): Promise<Prober> {
    const source = `
      const { connect } = require('node:net');
      const { parentPort } = require('node:worker_threads');
      const PREFACE = 'PRI * HTTP/2.0\\r\\n\\r\\nSM\\r\\n\\r\\n';
      const probe = () => {
        let isOpen = false;
        const socket = connect(${port}, '127.0.0.1');
        const finish = (answer) => { parentPort.postMessage(answer); socket.destroy(); };
        socket.on('connect', () => { isOpen = true; socket.write(PREFACE + '\\0\\0\\0\\4\\0\\0\\0\\0\\0'); });
        socket.on('data', () => finish('settings'));
        socket.on('error', () => isOpen ? finish('reset') : setImmediate(probe));
        socket.on('end', () => finish('closed'));
      };
      probe();
      parentPort.postMessage('probing');`;
    const worker = new Worker(source, { eval: true });
    await once(worker, 'message');
    return new Prober(worker);
  }

  firstAnswer(): Promise<unknown> {
    return this.#answer;
  }

  [Symbol.dispose](): void {
    void this.#worker.terminate();
  }
}
