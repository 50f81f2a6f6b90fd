import { join } from 'node:path';
import type { StoreUsers } from '@tallyhand/event-store/access/users';
import { storeUrl } from '@tallyhand/event-store/env';
import { derivedPassword } from '@tallyhand/service-kit/crypto/sealed-box';
import { Client } from 'pg';
import type { Config } from './config.ts';

/** Connection strings of one event store. */
export type EventStoreUrls = {
  /** For those that append. */
  readonly eventStoreUrl: string;
  /** For the projector, which only reads. */
  readonly eventStoreReaderUrl: string;
};

export const eventStoreDir = (dataDir: string): string => join(dataDir, 'event-store');

/** The users of the embedded event store, whose passwords derive from the master key. */
export const eventStoreUsers = (masterKey: string): StoreUsers => ({
  writer: derivedPassword(masterKey, 'event store user writer'),
  reader: derivedPassword(masterKey, 'event store user reader'),
});

/** Of the event store that the settings name; null without one. */
export function namedEventStoreUrls({
  eventStoreUrl,
  eventStoreReaderUrl,
}: Pick<Config, 'eventStoreUrl' | 'eventStoreReaderUrl'>): EventStoreUrls | null {
  if (!eventStoreUrl) return null;
  return { eventStoreUrl, eventStoreReaderUrl: eventStoreReaderUrl ?? eventStoreUrl };
}

export function embeddedEventStoreUrls(
  dataDir: string,
  port: number,
  masterKey: string,
): EventStoreUrls {
  const address = { port, dataDir: eventStoreDir(dataDir), users: eventStoreUsers(masterKey) };
  return {
    eventStoreUrl: storeUrl(address, 'writer'),
    eventStoreReaderUrl: storeUrl(address, 'reader'),
  };
}

/** The database that the application uses inside the embedded PostgreSQL. */
export const databaseName = 'tallyhand';

/** Creates the application's database if it does not exist; returns its URL. */
export async function ensureDatabase(superuserUrl: string): Promise<string> {
  const client = new Client({ connectionString: superuserUrl, connectionTimeoutMillis: 10_000 });
  client.on('error', () => {});
  await client.connect();
  try {
    const found = await client.query('select 1 from pg_database where datname = $1', [
      databaseName,
    ]);
    if (found.rowCount === 0) await client.query(`create database ${databaseName}`);
  } finally {
    await client.end().catch(() => {});
  }
  const url = new URL(superuserUrl);
  url.pathname = `/${databaseName}`;
  return url.href;
}
