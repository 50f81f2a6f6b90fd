import { readFileSync } from 'node:fs';
import { authorityFile } from './access/tls-files.ts';
import type { StoreUsers } from './access/users.ts';

const PASSWORD_LENGTH_MIN = 16;
const SETTINGS = {
  writer: 'EVENT_STORE_WRITER_PASSWORD',
  reader: 'EVENT_STORE_READER_PASSWORD',
  admin: 'EVENT_STORE_ADMIN_PASSWORD',
} as const;

/**
 * The settings with the passwords of the event store's users: environment variables or files, never
 * arguments, which every user of the machine can read.
 */
export const passwordSettings = ({ writer, reader }: StoreUsers): Record<string, string> => ({
  [SETTINGS.writer]: writer,
  [SETTINGS.reader]: reader,
});

/** Throws an Error that names what is missing, without any password. */
export function readUsers(env: NodeJS.ProcessEnv = process.env): StoreUsers {
  const writer = passwordOf(env, SETTINGS.writer);
  const reader = passwordOf(env, SETTINGS.reader);
  const admin = passwordOf(env, SETTINGS.admin);
  if (!writer || !reader) {
    throw new Error(
      `its users need passwords: set ${SETTINGS.writer} and ${SETTINGS.reader}, or name files with ` +
        `them in ${SETTINGS.writer}_FILE and ${SETTINGS.reader}_FILE. Only with --insecure it ` +
        'serves without users, and then everyone on this machine may read and append',
    );
  }
  return admin ? { writer, reader, admin } : { writer, reader };
}

function passwordOf(env: NodeJS.ProcessEnv, name: string): string | undefined {
  const file = env[`${name}_FILE`]?.trim();
  const password = file ? contentOf(name, file) : env[name]?.trim();
  if (password && password.length < PASSWORD_LENGTH_MIN) {
    throw new Error(`${name} must have ${PASSWORD_LENGTH_MIN} characters or more`);
  }
  return password;
}

function contentOf(name: string, file: string): string {
  try {
    return readFileSync(file, 'utf8').trim();
  } catch (error) {
    const { code } = error as NodeJS.ErrnoException;
    throw new Error(`${name}_FILE names a file that can't be read (${code})`);
  }
}

/** The name that the certificate is for; the server listens on 127.0.0.1. */
const HOST = 'localhost';

type StoreAddress = {
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
