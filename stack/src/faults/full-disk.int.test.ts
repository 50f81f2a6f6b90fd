import { readdirSync } from 'node:fs';
import { join } from 'node:path';
import { readEvents } from '@tallyhand/event-store/storage/copies';
import { verifyStore } from '@tallyhand/event-store/storage/verify';
import { startTestStore } from '@tallyhand/event-store/testing/test-store';
import { openEventLog } from '@tallyhand/service-kit/event-store/event-log';
import { agentWithArticle, registerOrganization } from '@tallyhand/test-kit/api-client';
import { caseRuns, reportFault } from '@tallyhand/test-kit/cases';
import { describeIf } from '@tallyhand/test-kit/needs';
import { afterAll, beforeAll, expect, it } from 'vitest';
import { moveEvents } from '../backup/move.ts';
import { restoreBackup } from '../backup/restore-backup.ts';
import { takeBackup } from '../backup/take-backup.ts';
import { makeSecrets } from '../supervisor/secrets.ts';
import { type KeptProduct, startKeptProduct } from '../testing/kept-product.ts';
import { canHaveSmallDisks, smallDisk } from '../testing/small-disk.ts';
import { sharedFolder } from './supervised-product.ts';

const PASSPHRASE = 'a passphrase of the tests';
const RESTORE_MS_MAX = 180_000;
/** From too little for creating PostgreSQL to slightly less than it needs. */
const RESTORES = caseRuns(3, 8).numRuns;
const SMALLEST_MB = 1;
const LARGEST_MB = 56;

describeIf(canHaveSmallDisks(), 'the right to mount disks')('a full disk', () => {
  const stack = new AsyncDisposableStack();
  let product: KeptProduct;
  let file = '';
  const source = () => ({
    eventStoreDir: join(product.dataDir, 'event-store'),
    databaseUrl: product.keys.databaseUrl,
    secrets: { values: { ...makeSecrets(), ...product.keys }, passphrase: PASSPHRASE },
  });

  beforeAll(async () => {
    product = stack.use(await startKeptProduct());
    const { client } = await registerOrganization(product.running.url);
    await agentWithArticle(client);
    file = join(stack.use(await sharedFolder()).path, 'whole.backup');
    await takeBackup(source(), file);
  });
  afterAll(() => stack.disposeAsync());

  it('ends a backup with a sentence and no file, and the product continues', async () => {
    using disk = smallDisk('16k');
    const taken = takeBackup(source(), join(disk.path, 'cut.backup'));
    await expect(taken).rejects.toThrow(`The disk of ${disk.path} is full`);
    expect(readdirSync(disk.path)).toEqual([]);
    await registerOrganization(product.running.url);
  });

  it('ends a restore with a sentence and no folder, wherever it is noticed', {
    timeout: RESTORES * RESTORE_MS_MAX,
  }, async () => {
    const step = (LARGEST_MB - SMALLEST_MB) / (RESTORES - 1);
    for (let number = 0; number < RESTORES; number += 1) {
      const size = `${Math.round(SMALLEST_MB + number * step)}m`;
      using disk = smallDisk(size);
      const dataDir = join(disk.path, 'restored');
      const restored = restoreBackup(file, dataDir, { passphrase: PASSPHRASE }, () => {});
      await expect(restored, size).rejects.toThrow(`The disk of ${disk.path} is full`);
      expect(readdirSync(disk.path), size).toEqual([]);
    }
    reportFault({ runs: RESTORES });
  });

  it('of the cluster stops a move, which continues when there is space', async () => {
    // An empty store, and a few events.
    using disk = smallDisk('100k');
    const eventStoreDir = join(product.dataDir, 'event-store');
    await using server = await startTestStore(join(disk.path, 'there'));
    const target = openEventLog(server.connectionString);
    stack.defer(() => target.close());
    const { events: head } = verifyStore(eventStoreDir);
    const move = () => moveEvents({ eventStoreDir, head, target }, new Set(), () => {});
    await expect(move()).rejects.toThrow('The cluster takes no more events');
    disk.resize('64m');
    await expect.poll(move).toBeInstanceOf(Map);
    const ours = await Array.fromAsync(readEvents(eventStoreDir, head));
    const moved = await Array.fromAsync(target.client.readAll());
    expect(moved.map(({ event }) => event?.type)).toEqual(ours.map(({ type }) => type));
  });
});
