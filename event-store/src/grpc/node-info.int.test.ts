import { EventStoreDBClient } from '@eventstore/db-client';
import { status } from '@grpc/grpc-js';
import { describe, expect, it } from 'vitest';
import { newStream, numbered, numbersOf, temporaryFolder } from '../conformance/subject.ts';
import { startTestStore } from '../testing/test-store.ts';

describe("the node's description of itself", () => {
  it('is a cluster of one for clients that search for its leader', async () => {
    await using folder = await temporaryFolder();
    await using server = await startTestStore(folder.path);
    const twice = server.connectionString.replace(/@([^?]+)/, '@$1,$1');
    const client = EventStoreDBClient.connectionString(twice);
    const stream = newStream();
    await client.appendToStream(stream, numbered(0, 2));
    expect(await numbersOf(client.readStream(stream))).toEqual([0, 1]);
    await client.dispose();
  });

  it('is that it does not delete streams', async () => {
    await using folder = await temporaryFolder();
    await using server = await startTestStore(folder.path);
    const client = EventStoreDBClient.connectionString`${server.connectionString}`;
    for (const call of [client.deleteStream('any-1'), client.tombstoneStream('any-1')]) {
      const error = await call.catch((thrown) => thrown);
      expect(error.code).toBe(status.UNIMPLEMENTED);
      expect(error.message).toMatch(/is not implemented by this event store/);
    }
    await client.dispose();
  });
});
