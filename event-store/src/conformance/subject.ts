import { randomUUID } from 'node:crypto';
import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { EventStoreDBClient, jsonEvent, type ResolvedEvent } from '@eventstore/db-client';

/** How a suite gets its server: connects to it, and is notified when it is done. */
export type Subject = { name: string; connect: () => Promise<Connection> };
type Connection = AsyncDisposable & { url: string };

/** Clients of one suite, closed with it. */
export class Clients implements AsyncDisposable {
  readonly #connection: Connection;
  readonly #clients: EventStoreDBClient[] = [];

  constructor(connection: Connection) {
    this.#connection = connection;
  }

  /** `options` are added to the connection string, as `throwOnAppendFailure=false`. */
  client(options?: string): EventStoreDBClient {
    const { url } = this.#connection;
    const full = options === undefined ? url : `${url}${url.includes('?') ? '&' : '?'}${options}`;
    const client = EventStoreDBClient.connectionString(full);
    this.#clients.push(client);
    return client;
  }

  async [Symbol.asyncDispose](): Promise<void> {
    for (const client of this.#clients) await client.dispose();
    await this.#connection[Symbol.asyncDispose]();
  }
}

/** A temporary folder of the test. */
export async function temporaryFolder(): Promise<AsyncDisposable & { path: string }> {
  const path = await mkdtemp(join(tmpdir(), 'event-store-'));
  return { path, [Symbol.asyncDispose]: () => rm(path, { recursive: true, force: true }) };
}

/** A name that no other test and no earlier run has used. */
export function newStream(category = 'conformance'): string {
  return `${category}-${randomUUID()}`;
}

export function numbered(from: number, count: number, type = 'Counted') {
  return Array.from({ length: count }, (_, i) => jsonEvent({ type, data: { n: from + i } }));
}

/** The number that `numbered` put into the event. */
export function numberOf({ event }: ResolvedEvent): number {
  if (event === undefined) throw new Error('the event is missing');
  return (event.data as { n: number }).n;
}

export async function numbersOf(events: AsyncIterable<ResolvedEvent>): Promise<number[]> {
  const numbers: number[] = [];
  for await (const event of events) numbers.push(numberOf(event));
  return numbers;
}
