import { execFileSync } from 'node:child_process';
import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';

const root = fileURLToPath(new URL('../../../', import.meta.url));

/** The files of a commit with what it installs, in a new folder, until disposed of. */
export async function worktreeOf(commit: string) {
  const parent = await mkdtemp(join(tmpdir(), 'tallyhand-before-'));
  const path = join(parent, 'worktree');
  // What has just ended may still write what it has compiled.
  const remove = () =>
    rm(parent, { recursive: true, force: true, maxRetries: 10, retryDelay: 200 });
  try {
    execFileSync('git', ['worktree', 'add', '--detach', path, commit], { cwd: root });
    execFileSync('npm', ['ci', '--no-audit', '--no-fund'], { cwd: path, stdio: 'ignore' });
  } catch (error) {
    await remove();
    throw error;
  }
  return {
    path,
    async [Symbol.asyncDispose]() {
      await remove();
      execFileSync('git', ['worktree', 'prune'], { cwd: root });
    },
  };
}
