import { execFile } from 'node:child_process';
import {
  chownSync,
  existsSync,
  mkdirSync,
  readdirSync,
  renameSync,
  rmSync,
  writeFileSync,
} from 'node:fs';
import { join } from 'node:path';
import { promisify } from 'node:util';
import type { Binaries } from './binaries.ts';
import type { Place } from './place.ts';

/** The database superuser's name. */
export const superuser = 'postgres';

const unfinishedPrefix = 'unfinished-';

/**
 * Creates the files of an empty database server in `place.dir`/cluster unless they exist, and
 * returns that folder. They are created under another name first, so the leftovers of a killed
 * attempt are never mistaken for a complete one.
 */
export async function ensureCluster(place: Place, binaries: Binaries, password: string) {
  const cluster = join(place.dir, 'cluster');
  for (const name of readdirSync(place.dir)) {
    if (!name.startsWith(unfinishedPrefix)) continue;
    rmSync(join(place.dir, name), { recursive: true, force: true, maxRetries: 20 });
  }
  // Both are checked: the folder may also have been made, and left empty, by hand.
  if (existsSync(join(cluster, 'PG_VERSION'))) return cluster;
  const unfinished = join(place.dir, `${unfinishedPrefix}${process.pid}`);
  await initialize(place, binaries, unfinished, password);
  rmSync(cluster, { recursive: true, force: true });
  renameSync(join(unfinished, 'cluster'), cluster);
  rmSync(unfinished, { recursive: true, force: true });
  return cluster;
}

async function initialize(place: Place, binaries: Binaries, dir: string, password: string) {
  mkdirSync(dir, { mode: 0o700 });
  const passwordFile = join(dir, 'password');
  writeFileSync(passwordFile, `${password}\n`, { mode: 0o600 });
  if (place.account) {
    for (const path of [dir, passwordFile]) {
      chownSync(path, place.account.uid, place.account.gid);
    }
  }
  const locale = process.platform === 'darwin' ? 'C' : 'C.UTF-8';
  const args = [
    '-D',
    join(dir, 'cluster'),
    '-U',
    superuser,
    `--pwfile=${passwordFile}`,
    '--auth=scram-sha-256',
    // Repeated hashing protects passwords that can be guessed. This one is derived from a random key.
    '--set=scram_iterations=1',
    '--encoding=UTF8',
    '--no-instructions',
    '--locale-provider=builtin',
    `--locale=${locale}`,
    '--builtin-locale=C.UTF-8',
  ];
  try {
    await promisify(execFile)(join(binaries.native, 'bin', 'initdb'), args, {
      ...place.account,
      cwd: dir,
      env: { TZ: 'UTC' },
      timeout: 60_000,
    });
  } catch (error) {
    const { stderr, message } = error as Error & { stderr?: string };
    throw new Error(`The database can't be made in ${place.dir}: ${stderr?.trim() || message}`);
  }
}
