import { readFile, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { DatabaseSync } from 'node:sqlite';
import { EventStoreDBClient, jsonEvent } from '@eventstore/db-client';
import { status } from '@grpc/grpc-js';
import { describe, expect, it, vi } from 'vitest';
import { newStream, numbersOf, temporaryFolder } from '../conformance/subject.ts';
import { startTestStore } from '../testing/test-store.ts';
import { ChildServer } from './child-server.ts';

const { connectionString } = EventStoreDBClient;
const EVENTS = 3_000;
const DAMAGED = 1_234;

/**
 * A folder of a server that has stopped; the event at each position carries a text found nowhere
 * else.
 */
async function filledFolder(stream: string) {
  const folder = await temporaryFolder();
  await using server = await startTestStore(folder.path);
  const client = connectionString`${server.connectionString}`;
  const events = Array.from({ length: EVENTS }, (_, index) =>
    jsonEvent({ type: 'Marked', data: { n: index, mark: markAt(index + 1) } }),
  );
  await client.appendToStream(stream, events);
  await client.dispose();
  return folder;
}

function markAt(position: number): string {
  return `mark-${position}-`;
}

async function alterByte(file: string, text: string): Promise<void> {
  const bytes = await readFile(file);
  const index = bytes.indexOf(text);
  expect(index).toBeGreaterThan(0);
  bytes[index] = (bytes[index] ?? 0) ^ 0x20;
  await writeFile(file, bytes);
}

describe('an altered byte in the middle', () => {
  it('stops the reads that meet it, and the full check, with its position', async () => {
    const stream = newStream();
    await using folder = await filledFolder(stream);
    await alterByte(join(folder.path, 'events.db'), markAt(DAMAGED));

    await using server = await startTestStore(folder.path);
    const client = connectionString`${server.connectionString}`;
    const log = vi.spyOn(console, 'error').mockImplementation(() => {});
    for (const read of [client.readStream(stream), client.readAll()]) {
      const error = await numbersOf(read).catch((thrown) => thrown);
      expect(error.code).toBe(status.DATA_LOSS);
      expect(error.message).toContain(`damaged data at position ${DAMAGED}`);
    }
    expect(String(log.mock.lastCall)).toContain(`damaged data at position ${DAMAGED}`);
    log.mockRestore();
    const after = client.readStream(stream, { fromRevision: BigInt(DAMAGED), maxCount: 2 });
    expect(await numbersOf(after)).toEqual([DAMAGED, DAMAGED + 1]);
    await client.dispose();

    const { code, output } = await ChildServer.run('verify', ['--data', folder.path]);
    expect(code).toBe(1);
    expect(output).toContain(`damaged data at position ${DAMAGED}`);
  });

  it("is detected each time, even when no one reads the server's output any more", async () => {
    const stream = newStream();
    await using folder = await filledFolder(stream);
    await alterByte(join(folder.path, 'events.db'), markAt(DAMAGED));
    await using server = await ChildServer.start(folder.path);
    server.closeOutput();
    const client = connectionString`${server.url}`;
    for (let n = 0; n < 3; n += 1) {
      const error = await numbersOf(client.readStream(stream)).catch((thrown) => thrown);
      expect(error.code).toBe(status.DATA_LOSS);
    }
    expect(server.process.exitCode).toBe(null);
    await client.dispose();
  });

  it('stops the start when it is among the newest events', async () => {
    await using folder = await filledFolder(newStream());
    await alterByte(join(folder.path, 'events.db'), markAt(EVENTS - 10));
    const { code, output } = await ChildServer.run('main', ['--port', '0', '--data', folder.path]);
    expect(code).toBe(1);
    expect(output).toMatch(/^event store: damaged data at position 2990: .*\n$/);
  });
});

describe('rows that were changed with care', () => {
  it.each([
    ['removed', `DELETE FROM event WHERE position = ${DAMAGED}`],
    ['moved to another stream', `UPDATE event SET stream = 7 WHERE position = ${DAMAGED}`],
    ['retyped', `UPDATE event SET type = 'Other' WHERE position = ${DAMAGED}`],
    ['put at another time', `UPDATE event SET created = created + 1 WHERE position = ${DAMAGED}`],
  ])('are found: %s', async (_how, sql) => {
    await using folder = await filledFolder(newStream());
    const db = new DatabaseSync(join(folder.path, 'events.db'));
    db.exec(sql);
    db.close();
    const { code, output } = await ChildServer.run('verify', ['--data', folder.path]);
    expect(code).toBe(1);
    expect(output).toContain(`damaged data at position ${DAMAGED}`);
  });
});
