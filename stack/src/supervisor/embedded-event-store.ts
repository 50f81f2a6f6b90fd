import { join } from 'node:path';
import type { StoreUsers } from '@tallyhand/event-store/access/users';
import { storeUrl } from '@tallyhand/event-store/env';
import { derivedPassword } from '@tallyhand/service-kit/crypto/sealed-box';
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
