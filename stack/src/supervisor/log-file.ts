import { closeSync, mkdirSync, openSync, renameSync, statSync, writeSync } from 'node:fs';
import { join } from 'node:path';

const bytesMax = 10 * 1024 * 1024;
const filesMax = 3;
const tailBytesMax = 2000;

export type LogFile = {
  path: string;
  write(chunk: string | Uint8Array): void;
  /** The last lines written, to show when something goes wrong. */
  tail(): string;
  close(): void;
};

/**
 * A log of at most `filesMax` times `bytesMax`: NAME.log, NAME.1.log, NAME.2.log. A full disk loses
 * log lines and stops nothing.
 */
export function openLogFile(dataDir: string, name: string): LogFile {
  const dir = join(dataDir, 'logs');
  mkdirSync(dir, { recursive: true, mode: 0o700 });
  const pathOf = (n: number) => join(dir, n === 0 ? `${name}.log` : `${name}.${n}.log`);
  let size = statSync(pathOf(0), { throwIfNoEntry: false })?.size ?? 0;
  if (size >= bytesMax) rotate();
  let handle: number | undefined = openSync(pathOf(0), 'a', 0o600);
  let tail = '';

  function rotate(): void {
    for (let n = filesMax - 1; n > 0; n -= 1) {
      if (statSync(pathOf(n - 1), { throwIfNoEntry: false })) renameSync(pathOf(n - 1), pathOf(n));
    }
    size = 0;
  }

  return {
    path: pathOf(0),
    write(chunk) {
      tail = (tail + Buffer.from(chunk).toString('utf8')).slice(-tailBytesMax);
      if (handle === undefined) return;
      try {
        size += writeSync(handle, Buffer.from(chunk));
        if (size < bytesMax) return;
        closeSync(handle);
        rotate();
        handle = openSync(pathOf(0), 'a', 0o600);
      } catch {
        // See above.
      }
    },
    tail: () => tail.trim().split('\n').slice(-5).join('\n'),
    close() {
      if (handle !== undefined) closeSync(handle);
      handle = undefined;
    },
  };
}
