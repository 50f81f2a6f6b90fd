import { once } from 'node:events';
import { EventStoreDBClient } from '@eventstore/db-client';
import type { BatchAppendResp } from '@eventstore/db-client/generated/streams_pb.js';
import { temporaryFolder } from '../conformance/subject.ts';
import { startEventStore } from '../server.ts';
import { type Message, RawClient } from './raw-client.ts';

/** An event store without users, for the official client and for messages that it would not send. */
export async function openRawStore() {
  await using opening = new AsyncDisposableStack();
  const { path } = opening.use(await temporaryFolder());
  const server = opening.use(await startEventStore({ dataDir: path, port: 0, users: null }));
  const client = EventStoreDBClient.connectionString(server.urlOf('writer'));
  opening.defer(() => client.dispose());
  const raw = opening.use(new RawClient(server.port));
  const opened = opening.move();
  return {
    client,
    raw,
    /** The first answer to one message of a batch append. */
    async batchAnswer(message: Message): Promise<BatchAppendResp> {
      const { call } = raw.batch();
      call.write(message);
      const [answer] = (await once(call, 'data')) as [BatchAppendResp];
      call.end();
      return answer;
    },
    [Symbol.asyncDispose]: () => opened.disposeAsync(),
  };
}
