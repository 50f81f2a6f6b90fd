import { existsSync, readFileSync, renameSync, writeFileSync } from 'node:fs';
import { freePort, isPortFree } from '@tallyhand/service-kit/free-port';

/**
 * Returns the port stored in `file` if it is still free, otherwise another free one, which is
 * stored from then on: addresses survive restarts, and never block one. `taken`: ports that are
 * about to be used.
 */
export async function keptPort(file: string, taken: readonly number[] = []): Promise<number> {
  const kept = existsSync(file) ? Number(readFileSync(file, 'utf8')) : 0;
  const isUsable = kept > 0 && kept < 65_536 && !taken.includes(kept);
  if (isUsable && (await isPortFree(kept))) return kept;
  const port = await freePort(taken);
  writeFileSync(`${file}.new`, String(port));
  renameSync(`${file}.new`, file);
  return port;
}
