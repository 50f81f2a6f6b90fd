import { mkdir } from 'node:fs/promises';
import { join } from 'node:path';
import type { Status } from '@tallyhand/contracts/features/status/status.endpoints';
import { describeIf } from '@tallyhand/test-kit/needs';
import { afterAll, beforeAll, expect, it, vi } from 'vitest';
import { noteBackupFolder } from '../backup/manifest.ts';
import { isManyProcesses, startTestProduct, type TestProduct } from '../testing/product.ts';
import { canHaveSmallDisks, type SmallDisk, smallDisk } from '../testing/small-disk.ts';

const NOTICED = { interval: 250 };

// Instances know of no data folder: the stores are on other machines.
describeIf(!isManyProcesses && canHaveSmallDisks(), 'the right to mount disks')(
  'a disk with little room',
  () => {
    const stack = new AsyncDisposableStack();
    const lines: string[] = [];
    const hear = (message: string, fields?: object) =>
      lines.push(JSON.stringify({ message, ...fields }));
    let disk: SmallDisk;
    let product: TestProduct;

    beforeAll(async () => {
      const dataDir = stack.use(smallDisk('30g')).path;
      await mkdir(join(dataDir, 'event-store'));
      disk = stack.use(smallDisk('64m'));
      await noteBackupFolder(dataDir, disk.path);
      product = stack.use(
        await startTestProduct({ dataDir, log: { info: hear, warn: hear, error: hear } }),
      );
    });
    afterAll(() => stack.disposeAsync());

    const health = async () => {
      const { checks } = (await (await fetch(`${product.url}/api/status`)).json()) as Status;
      return checks.find(({ name }) => name === 'disk')?.status;
    };

    it('is reported by purpose, in bytes', async () => {
      const figures = await product.metrics();
      for (const purpose of ['data', 'event-store', 'backup', 'temporary']) {
        expect(figures).toMatch(
          new RegExp(`^tallyhand_disk_free_bytes\\{purpose="${purpose}"\\} \\d`, 'm'),
        );
      }
      // There is no such folder.
      expect(figures).not.toContain('purpose="database"');
    });

    it('degrades the status and is logged, until it has room again', async () => {
      expect(await health()).toBe('degraded');
      expect(await product.metrics()).toContain(
        `tallyhand_disk_size_bytes{purpose="backup"} ${64 * 1024 * 1024}\n`,
      );
      // How much room is left in the machine's own temporary folder is not this test's.
      const figures = lines.filter((line) => !line.includes('"purpose":"temporary"'));
      expect(figures.filter((line) => line.includes('nearly full'))).toEqual([
        expect.stringContaining('"purpose":"backup"'),
      ]);
      disk.resize('30g');
      await vi.waitFor(async () => expect(await health()).toBe('ok'), NOTICED);
      expect(lines.join()).toContain('a disk has enough space again');
    });
  },
);
