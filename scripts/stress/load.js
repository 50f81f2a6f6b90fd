import { createHash } from 'node:crypto';
import { closeSync, fsyncSync, mkdtempSync, openSync, rmSync, writeSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';

/*
 * Keeps one core and the disk busy until the process that forked it ends, however that ends. A
 * signal alone doesn't end it, so that its folder is always removed.
 */
const BLOCK_BYTES = 4 * 1024 * 1024;
const HASHES = 40;

const folder = mkdtempSync(join(tmpdir(), 'tallyhand-load-'));
const block = Buffer.alloc(BLOCK_BYTES, 'load');

process.on('disconnect', () => {
  rmSync(folder, { recursive: true });
  process.exit();
});
for (const signal of ['SIGINT', 'SIGTERM', 'SIGHUP']) process.on(signal, () => {});

function work() {
  for (let hashes = 0; hashes < HASHES; hashes += 1) createHash('sha256').update(block).digest();
  const file = openSync(join(folder, 'block'), 'w');
  writeSync(file, block);
  fsyncSync(file);
  closeSync(file);
  setImmediate(work);
}
work();
