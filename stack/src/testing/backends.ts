import { randomBytes, randomUUID } from 'node:crypto';
import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { startEventStore } from '@tallyhand/event-store/server';
import pg from 'pg';
import { inject } from 'vitest';

export const testKey = () => randomBytes(32).toString('base64url');

/** An empty database, dropped at the end; the address is the superuser's. */
export async function testDatabase(): Promise<AsyncDisposable & { readonly url: string }> {
  const superuser = inject('postgresUrl');
  const name = `test_${randomUUID().replaceAll('-', '').slice(0, 20)}`;
  const run = async (sql: string) => {
    const client = new pg.Client({ connectionString: superuser });
    await client.connect();
    try {
      await client.query(sql);
    } finally {
      await client.end();
    }
  };
  await run(`create database ${name}`);
  const url = new URL(superuser);
  url.pathname = `/${name}`;
  return {
    url: url.href,
    [Symbol.asyncDispose]: () => run(`drop database if exists ${name} with (force)`),
  };
}

/** An embedded event store on a folder of its own, removed at the end. */
export async function testEventStore(): Promise<AsyncDisposable & { readonly url: string }> {
  const dataDir = await mkdtemp(join(tmpdir(), 'tallyhand-events-'));
  const server = await startEventStore({ dataDir, port: 0 });
  return {
    url: server.connectionString,
    async [Symbol.asyncDispose]() {
      await server[Symbol.asyncDispose]();
      await rm(dataDir, { recursive: true, force: true });
    },
  };
}
