import { authorityFile } from './access/tls-files.ts';
import type { StoreUsers } from './access/users.ts';

/** The name that the certificate is for; the server listens on 127.0.0.1. */
const HOST = 'localhost';

export type StoreAddress = {
  readonly port: number;
  readonly dataDir: string;
  /** Null: of a server that was started without users. */
  readonly users: StoreUsers | null;
};

/** The connection string for one of the users that the server was started with. */
export function storeUrl({ port, dataDir, users }: StoreAddress, name: keyof StoreUsers): string {
  if (!users) return `esdb://127.0.0.1:${port}?tls=false`;
  const password = users[name];
  if (password === undefined) throw new Error(`The event store has no user ${name}`);
  const authority = encodeURIComponent(authorityFile(dataDir));
  const user = `${name}:${encodeURIComponent(password)}`;
  return `esdb://${user}@${HOST}:${port}?tls=true&tlsCAFile=${authority}`;
}
