import { statfs } from 'node:fs/promises';
import { describe, expect, it } from 'vitest';
import { chromiumsOf } from './browser/fixtures/processes.ts';
import { launchChromium } from './chromium.ts';

const ROOM = 1024 ** 3;

async function sharedMemoryBytes(): Promise<number> {
  try {
    const { bavail, bsize } = await statfs('/dev/shm');
    return bavail * bsize;
  } catch {
    return 0;
  }
}

describe('a launched Chromium', () => {
  it('has its shared memory in memory, unless there is too little of it', async () => {
    const before = chromiumsOf(process.pid).map(({ pid }) => pid);
    const browser = await launchChromium();
    try {
      const own = chromiumsOf(process.pid).filter(({ pid }) => !before.includes(pid));
      const main = own.find(({ parent }) => parent === process.pid);
      const isOnDisk = main?.command.includes('--disable-dev-shm-usage');
      expect(isOnDisk).toBe((await sharedMemoryBytes()) < ROOM);
    } finally {
      await browser.close();
    }
  });
});
