import { randomUUID } from 'node:crypto';
import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { EventStoreDBClient, jsonEvent } from '@eventstore/db-client';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { startTestStore } from '../testing/test-store.ts';
import { HeldAppends, readEvents, writeEvents } from './copies.ts';
import type { StoredEvent } from './events.ts';
import { verifyStore } from './verify.ts';

let folder: string;

beforeEach(() => {
  folder = mkdtempSync(join(tmpdir(), 'tallyhand-copies-'));
});
afterEach(() => rmSync(folder, { recursive: true, force: true }));

const dirOf = (name: string) => join(folder, name);

async function withStore(
  dataDir: string,
  work: (append: (stream: string) => Promise<unknown>) => Promise<void>,
) {
  await using server = await startTestStore(dataDir);
  const client = EventStoreDBClient.connectionString(server.connectionString);
  try {
    await work((stream) =>
      client.appendToStream(stream, [
        jsonEvent({ id: randomUUID(), type: 'Counted', data: { text: 'Grüße' } }),
      ]),
    );
  } finally {
    await client.dispose();
  }
}

async function all(dataDir: string, head: number): Promise<StoredEvent[]> {
  return Array.fromAsync(readEvents(dataDir, head));
}

describe('a copy of an event store', () => {
  it('has the same events at the same positions, and accepts appends', async () => {
    await withStore(dirOf('one'), async (append) => {
      for (const stream of ['a', 'b', 'a', 'c', 'a']) await append(stream);
    });
    expect(await writeEvents(dirOf('two'), readEvents(dirOf('one'), 5))).toBe(5);
    expect(verifyStore(dirOf('two'))).toEqual({ events: 5, streams: 3 });
    expect(await all(dirOf('two'), 5)).toEqual(await all(dirOf('one'), 5));
    await withStore(dirOf('two'), async (append) => {
      expect(await append('a')).toMatchObject({ nextExpectedRevision: 3n });
    });
  });

  it('is refused when an event is missing or out of order', async () => {
    await withStore(dirOf('one'), async (append) => {
      for (const stream of ['a', 'b', 'a']) await append(stream);
    });
    const [first, second, third] = await all(dirOf('one'), 3);
    const copy = (name: string, events: (StoredEvent | undefined)[]) =>
      writeEvents(
        dirOf(name),
        (async function* () {
          for (const event of events) if (event) yield event;
        })(),
      );
    await expect(copy('two', [first, third])).rejects.toThrow('Event 3 does not follow');
    await expect(copy('three', [first, third, second])).rejects.toThrow('Event 3 does not follow');
  });
});

describe('appends that are held', () => {
  it('wait, and are stored after the release', async () => {
    await withStore(dirOf('one'), async (append) => {
      await append('a');
      const held = new HeldAppends(dirOf('one'));
      expect(held.head).toBe(1);
      let isDone = false;
      const waiting = append('a').then(() => {
        isDone = true;
      });
      // Reads continue, and find nothing new however often they look.
      for (let looks = 0; looks < 20; looks += 1) {
        expect(await all(dirOf('one'), held.head)).toHaveLength(1);
      }
      expect(isDone).toBe(false);
      held[Symbol.dispose]();
      await waiting;
      expect(await all(dirOf('one'), 2)).toHaveLength(2);
    });
  });
});
