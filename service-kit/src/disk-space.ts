import { statfs } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import type { Log } from './log.ts';
import { gauge } from './metrics/instruments.ts';

const CHECK_EVERY_MS = 10_000;
/** A store needs space until an operator has time to look at it. */
const STORE_BYTES_MIN = 2e9;
const SHARE_MIN = 0.1;

/** The purpose of the folder's disk. */
export type Disk = { readonly purpose: string; readonly folder: string };

const TEMPORARY = 'temporary';

/** Where every process may write; no data is stored there. */
export const temporaryDisk = (): Disk => ({ purpose: TEMPORARY, folder: tmpdir() });

export type DiskSpace = {
  readonly purpose: string;
  readonly freeBytes: number;
  readonly sizeBytes: number;
};

export type DiskWatch = Disposable & {
  /** As of the last check, seconds ago. */
  spaces(): readonly DiskSpace[];
};

/** Those of every watch in this process, as its figures are of the whole of it. */
const watches = new Set<DiskWatch>();

function samplesOf(bytesOf: (space: DiskSpace) => number) {
  const spaces = [...watches].flatMap((watch) => watch.spaces());
  const values = new Map(spaces.map((space) => [space.purpose, bytesOf(space)]));
  return [...values].map(([purpose, value]) => ({ labels: { purpose }, value }));
}

gauge({
  name: 'tallyhand_disk_free_bytes',
  help: 'Room that is left on the disk of a folder, by what the folder is for.',
  read: () => samplesOf(({ freeBytes }) => freeBytes),
});
gauge({
  name: 'tallyhand_disk_size_bytes',
  help: 'Size of the disk of a folder.',
  read: () => samplesOf(({ sizeBytes }) => sizeBytes),
});

/** Less than a tenth, or less than 2 GB where something is stored: as alert DiskNearlyFull. */
export const isLow = ({ purpose, freeBytes, sizeBytes }: DiskSpace): boolean =>
  freeBytes < SHARE_MIN * sizeBytes || (purpose !== TEMPORARY && freeBytes < STORE_BYTES_MIN);

/** Whether data stored here has little space left; null if none is. */
export function isStoreLow(spaces: readonly DiskSpace[]): boolean | null {
  const stores = spaces.filter(({ purpose }) => purpose !== TEMPORARY);
  return stores.length > 0 ? stores.some(isLow) : null;
}

/**
 * Checks the disks every few seconds until disposed of, and logs once when one of them has little
 * space left, and when it has enough again. Missing folders are skipped.
 */
export async function watchDisks(
  disks: () => Promise<readonly Disk[]>,
  log: Log,
): Promise<DiskWatch> {
  let known: readonly DiskSpace[] = [];
  const low = new Set<string>();
  let isChecking = false;

  async function check(): Promise<void> {
    // Only one check waits for a hanging disk.
    if (isChecking) return;
    isChecking = true;
    known = (await Promise.all((await disks()).map(spaceOf))).flat();
    for (const space of known) logChange(space);
    isChecking = false;
  }

  function logChange(space: DiskSpace): void {
    const { purpose, freeBytes, sizeBytes } = space;
    if (isLow(space) === low.has(purpose)) return;
    const fields = { purpose, freeBytes, sizeBytes };
    if (low.delete(purpose)) log.warn('a disk has enough space again', fields);
    else log.warn('a disk is nearly full', fields);
    if (isLow(space)) low.add(purpose);
  }

  await check();
  const checking = setInterval(check, CHECK_EVERY_MS).unref();
  const watch: DiskWatch = {
    spaces: () => known,
    [Symbol.dispose]() {
      clearInterval(checking);
      watches.delete(watch);
    },
  };
  watches.add(watch);
  return watch;
}

async function spaceOf({ purpose, folder }: Disk): Promise<DiskSpace[]> {
  try {
    const { bavail, blocks, bsize } = await statfs(folder);
    return [{ purpose, freeBytes: bavail * bsize, sizeBytes: blocks * bsize }];
  } catch {
    return [];
  }
}
