import { hash } from 'node:crypto';
import { mkdtemp, readdir, rm } from 'node:fs/promises';
import { hostname } from 'node:os';
import { join } from 'node:path';

/** Several machines may share a folder; process ids mean something on one of them only. */
const PREFIX = `tallyhand-browser-${hash('sha256', hostname(), 'hex').slice(0, 8)}-`;

export type TemporaryFolder = AsyncDisposable & { readonly path: string };

/**
 * A folder of this process below `parent`, for the profiles of its browsers: a killed process
 * cannot remove them. So leftovers of dead processes are removed first.
 */
export async function temporaryFolder(parent: string): Promise<TemporaryFolder> {
  const entries = await readdir(parent);
  const left = entries.filter((name) => name.startsWith(PREFIX) && !isInUse(name));
  // Another user's files stay.
  await Promise.allSettled(left.map((name) => removeFolder(join(parent, name))));
  const path = await mkdtemp(join(parent, `${PREFIX}${process.pid}-`));
  return { path, [Symbol.asyncDispose]: () => removeFolder(path) };
}

const removeFolder = (path: string) => rm(path, { recursive: true, force: true, maxRetries: 5 });

/** Whether the process of another folder lives; after a restart this one's id may be the same. */
function isInUse(name: string): boolean {
  const pid = Number.parseInt(name.slice(PREFIX.length), 10);
  if (pid === process.pid) return false;
  try {
    return process.kill(pid, 0);
  } catch (error) {
    return (error as NodeJS.ErrnoException).code === 'EPERM';
  }
}
