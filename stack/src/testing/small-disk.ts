import { execFileSync } from 'node:child_process';
import { mkdtempSync, rmdirSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';

/** A disk in memory with exactly the requested room. */
export type SmallDisk = Disposable & {
  readonly path: string;
  /** Gives it another size, as `64m`; what is on it stays. */
  resize(size: string): void;
};

/** Only root may have one. */
export function canHaveSmallDisks(): boolean {
  try {
    using _disk = smallDisk('64k');
    return true;
  } catch {
    return false;
  }
}

export function smallDisk(size: string): SmallDisk {
  const path = mkdtempSync(join(tmpdir(), 'small-disk-'));
  const mount = (options: string) =>
    execFileSync('mount', ['-t', 'tmpfs', '-o', options, 'tmpfs', path], { stdio: 'pipe' });
  try {
    mount(`size=${size},mode=755`);
  } catch (error) {
    rmdirSync(path);
    throw error;
  }
  return {
    path,
    resize: (other) => mount(`remount,size=${other}`),
    [Symbol.dispose]() {
      execFileSync('umount', ['--lazy', path], { stdio: 'pipe' });
      rmdirSync(path);
    },
  };
}
