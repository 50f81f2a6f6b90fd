import { spawnSync } from 'node:child_process';
import { createHash, randomBytes } from 'node:crypto';
import {
  chmodSync,
  chownSync,
  existsSync,
  mkdirSync,
  readFileSync,
  rmSync,
  statSync,
  writeFileSync,
} from 'node:fs';
import { basename, dirname, join } from 'node:path';
import type { Account } from './binaries.ts';

/** The place of the database's files when its account can't enter the requested folder. */
export const sharedDir = '/var/lib/tallyhand';

export type Place = {
  /** The folder with `cluster`; the requested one, or one below `sharedDir`. */
  dir: string;
  account: Account;
};

/**
 * PostgreSQL refuses to run as root, so root starts it as `nobody`, or as the owner of an existing
 * cluster. If that account cannot enter the requested folder (below a /root of mode 0700), the
 * files are below `sharedDir` and the requested folder records the place: removing it thus gives a
 * new, empty database, and an old one is never mistaken for it.
 */
export function choosePlace(wishedDir: string): Place {
  mkdirSync(wishedDir, { recursive: true, mode: 0o755 });
  if (process.getuid?.() !== 0) return { dir: wishedDir, account: undefined };
  const noteFile = join(wishedDir, 'location');
  if (existsSync(noteFile)) {
    const dir = readFileSync(noteFile, 'utf8').trim();
    return preparePlace(dir, accountOf(dir));
  }
  const account = accountOf(wishedDir);
  const place = preparePlace(wishedDir, account);
  if (canUse(wishedDir, account)) return place;
  if (existsSync(join(wishedDir, 'cluster'))) {
    throw new Error(
      `PostgreSQL (user id ${account.uid}) can't enter ${wishedDir}, which holds its data. ` +
        'Let other users enter the folders above it (chmod o+x), or move DATA_DIR.',
    );
  }
  const hash = createHash('sha256').update(wishedDir).digest('hex').slice(0, 8);
  const dir = join(sharedDir, `${basename(wishedDir)}-${hash}-${randomBytes(4).toString('hex')}`);
  mkdirSync(sharedDir, { recursive: true });
  chmodSync(sharedDir, 0o755);
  const moved = preparePlace(dir, account);
  if (!canUse(dir, account)) {
    rmSync(dir, { recursive: true, force: true });
    throw new Error(`PostgreSQL (user id ${account.uid}) can use neither ${wishedDir} nor ${dir}.`);
  }
  writeFileSync(noteFile, `${dir}\n`);
  return moved;
}

function preparePlace(dir: string, account: NonNullable<Account>): Place {
  mkdirSync(dir, { recursive: true, mode: 0o755 });
  chownSync(dir, account.uid, account.gid);
  return { dir, account };
}

function accountOf(dir: string): NonNullable<Account> {
  const owner = statSync(join(dir, 'cluster'), { throwIfNoEntry: false });
  if (owner && owner.uid !== 0) return { uid: owner.uid, gid: owner.gid };
  return nobody();
}

function nobody(): NonNullable<Account> {
  const line = /^nobody:[^:]*:(-?\d+):(-?\d+):/m.exec(readFileSync('/etc/passwd', 'utf8'));
  // macOS writes -2 for what system calls take as an unsigned number.
  const id = (text: string | undefined) => Number(text ?? 65534) >>> 0;
  return { uid: id(line?.[1]), gid: id(line?.[2]) };
}

/** Asks the system, because modes alone are not enough (access lists, mounts). */
function canUse(dir: string, account: NonNullable<Account>): boolean {
  const result = spawnSync('/bin/sh', ['-c', 'cd "$1" && test -w .', 'sh', dir], {
    ...account,
    cwd: '/',
    env: {},
    stdio: 'ignore',
    timeout: 5000,
  });
  return result.status === 0;
}

/** The folder for a copy of the programs, next to the data, where the account can enter it. */
export function copiesDirOf(place: Place): string {
  return place.account ? sharedDir : join(dirname(place.dir), 'programs');
}
