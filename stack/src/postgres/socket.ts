import { join } from 'node:path';
import { superuser } from './cluster.ts';
import type { Place } from './place.ts';

/** The shortest that a system has for the path of a socket is 104 bytes, with one for its end. */
const PATH_BYTES_MAX = 103;
/** The setting lists folders, quoted if they contain special characters. */
const PLAIN = /^[\w./-]+$/;

/**
 * Where PostgreSQL may listen for its own account and root alone; a fifth less processor time goes
 * into a query than over the loopback address. Null where no socket can be.
 */
export function socketDirOf({ dir }: Pick<Place, 'dir'>, platform = process.platform) {
  if (platform === 'win32' || !PLAIN.test(dir)) return null;
  const longest = join(dir, '.s.PGSQL.65535.lock');
  return Buffer.byteLength(longest) > PATH_BYTES_MAX ? null : dir;
}

/** The superuser's address of the database `postgres`; `place`: a host, or a socket's folder. */
export const urlOf = (place: string, port: number, password: string) =>
  `postgres://${superuser}:${encodeURIComponent(password)}@${encodeURIComponent(place)}:${port}/postgres`;
