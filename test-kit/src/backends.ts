import { generateKeyPairSync, randomBytes, randomUUID } from 'node:crypto';
import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { startTestStore } from '@tallyhand/event-store/testing/test-store';
import pg from 'pg';
import { inject } from 'vitest';

export const testKey = () => randomBytes(32).toString('base64url');

/** A new key that signs audit logs, as a setting. */
export function testAuditKey() {
  const { privateKey } = generateKeyPairSync('ed25519');
  const pem = privateKey.export({ format: 'pem', type: 'pkcs8' }).toString();
  return { kind: 'setting', pem } as const;
}

export type TestDatabase = AsyncDisposable & { readonly url: string };

/** A database with all tables but no roles, which `migrate` makes; dropped at the end. */
export const testDatabase = (): Promise<TestDatabase> => newDatabase(inject('migratedDatabase'));

/** A database without a table, dropped at the end. */
export const emptyDatabase = (): Promise<TestDatabase> => newDatabase('template1');

/** The address is the superuser's. */
async function newDatabase(template: string): Promise<TestDatabase> {
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
  await run(`create database ${name} template ${template}`);
  const url = new URL(superuser);
  url.pathname = `/${name}`;
  return {
    url: url.href,
    [Symbol.asyncDispose]: () => run(`drop database if exists ${name} with (force)`),
  };
}

export type TestEventStore = AsyncDisposable & {
  readonly dataDir: string;
  /** The writer's. */
  readonly url: string;
  readonly readerUrl: string;
};

/** An embedded event store in a new folder, removed at the end. */
export async function testEventStore(): Promise<TestEventStore> {
  const dataDir = await mkdtemp(join(tmpdir(), 'tallyhand-events-'));
  const server = await startTestStore(dataDir);
  return {
    dataDir,
    url: server.urlOf('writer'),
    readerUrl: server.urlOf('reader'),
    async [Symbol.asyncDispose]() {
      await server[Symbol.asyncDispose]();
      await rm(dataDir, { recursive: true, force: true });
    },
  };
}
