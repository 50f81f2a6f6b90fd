import { randomBytes } from 'node:crypto';
import type { StoreUsers } from '../access/users.ts';
import { type EventStoreServer, startEventStore } from '../server.ts';

const password = () => randomBytes(16).toString('hex');

/** Users of a test's own, each with another password. */
export const testUsers = (): Required<StoreUsers> => ({
  writer: password(),
  reader: password(),
  admin: password(),
});

/** The event store of a test, on a free port; `connectionString` is the writer's. */
export async function startTestStore(
  dataDir: string,
  users: StoreUsers = testUsers(),
): Promise<EventStoreServer & { readonly connectionString: string }> {
  const server = await startEventStore({ dataDir, port: 0, users });
  return { ...server, connectionString: server.urlOf('writer') };
}
