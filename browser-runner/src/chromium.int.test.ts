import { statfs } from 'node:fs/promises';
import { describe, expect, it } from 'vitest';
import { launchedFromNow } from './browser/fixtures/processes.ts';
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
    const launched = launchedFromNow();
    const browser = await launchChromium();
    try {
      const main = launched().find(({ parent }) => parent === process.pid);
      const isOnDisk = main?.command.includes('--disable-dev-shm-usage');
      expect(isOnDisk).toBe((await sharedMemoryBytes()) < ROOM);
    } finally {
      await browser.close();
    }
  });
});
