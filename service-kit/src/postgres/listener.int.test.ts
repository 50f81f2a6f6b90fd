import { testDatabase } from '@tallyhand/test-kit/backends';
import pg from 'pg';
import { afterAll, beforeAll, describe, expect, it, vi } from 'vitest';
import { jsonLog } from '../log.ts';
import { listen } from './listener.ts';

const log = jsonLog('test', 'silent');

let database: Awaited<ReturnType<typeof testDatabase>>;
let admin: pg.Client;
let url: string;
beforeAll(async () => {
  database = await testDatabase();
  admin = new pg.Client({ connectionString: database.url });
  await admin.connect();
  const named = new URL(database.url);
  named.searchParams.set('application_name', 'listener');
  url = named.href;
});
afterAll(async () => {
  await admin.end();
  await database[Symbol.asyncDispose]();
});

const tell = (payload: string) => admin.query('select pg_notify($1, $2)', ['news', payload]);
const cutOff = () =>
  admin.query(`select pg_terminate_backend(pid) from pg_stat_activity
    where application_name = 'listener' and datname = current_database()`);
async function connections(): Promise<number> {
  const { rows } = await admin.query<{ count: number }>(
    `select count(*)::int from pg_stat_activity
     where application_name = 'listener' and datname = current_database()`,
  );
  return rows[0]?.count ?? 0;
}

/** A listener that records its notifications and connections. */
async function listener(onConnect: (times: number) => void = () => {}) {
  const heard: string[] = [];
  let connected = 0;
  const listening = await listen({
    url,
    log,
    channels: ['news'],
    check: { everyMs: 200, answerMs: 2_000 },
    async onConnect() {
      connected += 1;
      onConnect(connected);
    },
    onNotification: (_, payload) => heard.push(payload),
  });
  return {
    heard,
    connected: () => connected,
    [Symbol.asyncDispose]: () => listening[Symbol.asyncDispose](),
  };
}

describe('a listener', () => {
  it('receives each notification once, also after its connection was cut', async () => {
    await using one = await listener();
    await tell('first');
    await vi.waitFor(() => expect(one.heard).toEqual(['first']));
    await cutOff();
    await vi.waitFor(() => expect(one.connected()).toBe(2));
    await tell('second');
    await vi.waitFor(() => expect(one.heard).toEqual(['first', 'second']));
  });

  it('keeps one connection, however often it could not read what it missed', async () => {
    await using one = await listener((times) => {
      if (times === 2 || times === 3) throw new Error('not readable just now');
    });
    await cutOff();
    await vi.waitFor(() => expect(one.connected()).toBe(4));
    await vi.waitFor(async () => expect(await connections()).toBe(1));
    await tell('still here');
    await vi.waitFor(() => expect(one.heard).toEqual(['still here']));
  });

  it('connects again when its connection falls silent', async () => {
    await using one = await listener();
    const { rows } = await admin.query<{ pid: number }>(
      `select pid from pg_stat_activity where application_name = 'listener'`,
    );
    const { pid } = rows[0] ?? expect.fail('There is no connection');
    process.kill(pid, 'SIGSTOP');
    try {
      await vi.waitFor(() => expect(one.connected()).toBe(2));
    } finally {
      process.kill(pid, 'SIGCONT');
    }
    await tell('heard again');
    await vi.waitFor(() => expect(one.heard).toEqual(['heard again']));
  });

  it('shares one connection with others of the same address, each with its own channels', async () => {
    await using one = await listener();
    const others: string[] = [];
    const connected: string[] = [];
    const other = (channel: string) =>
      listen({
        url,
        log,
        channels: [channel],
        onConnect: async () => void connected.push(channel),
        onNotification: (from, payload) => others.push(`${channel}: ${from} ${payload}`),
      });
    const [same, apart] = await Promise.all([other('news'), other('weather')]);
    expect(await connections()).toBe(1);
    expect(connected.toSorted()).toEqual(['news', 'weather']);
    await tell('first');
    await admin.query(`select pg_notify('weather', 'rain')`);
    await vi.waitFor(() => expect(others).toEqual(['news: news first', 'weather: weather rain']));
    await same[Symbol.asyncDispose]();
    await cutOff();
    await vi.waitFor(() => expect(one.connected()).toBe(2));
    await vi.waitFor(() => expect(connected).toHaveLength(3));
    await tell('second');
    await admin.query(`select pg_notify('weather', 'sun')`);
    await vi.waitFor(() => expect(one.heard).toEqual(['first', 'second']));
    await vi.waitFor(() => expect(others.slice(2)).toEqual(['weather: weather sun']));
    const failing = listener(() => {
      throw new Error('not readable');
    });
    await expect(failing).rejects.toThrow('not readable');
    await tell('third');
    await vi.waitFor(() => expect(one.heard).toHaveLength(3));
    await apart[Symbol.asyncDispose]();
    expect(await connections()).toBe(1);
  });

  it('that cannot connect leaves no connection behind', async () => {
    const failing = listener(() => {
      throw new Error('no such function');
    });
    await expect(failing).rejects.toThrow('no such function');
    await vi.waitFor(async () => expect(await connections()).toBe(0));
  });

  it('leaves no connection behind when it is closed while it reconnects', async () => {
    const closing: PromiseLike<void>[] = [];
    const one = await listener((times) => {
      if (times === 2) closing.push(one[Symbol.asyncDispose]());
    });
    await cutOff();
    await vi.waitFor(() => expect(closing).toHaveLength(1));
    await Promise.all(closing);
    await vi.waitFor(async () => expect(await connections()).toBe(0));
  });
});
