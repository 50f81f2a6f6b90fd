import { testDatabase } from '@tallyhand/test-kit/backends';
import { expect, it, vi } from 'vitest';
import { type JobQueue, makeJobs, openJobs, workOn } from './jobs.ts';

it('a job that failed is done again as soon as it is due', async () => {
  await using database = await testDatabase();
  const queue: JobQueue = { name: 'try-again', secondsMax: 60 };
  await makeJobs(database.url, [queue]);
  const boss = await openJobs(database.url, { info() {}, warn() {}, error() {} });
  try {
    const run = vi.fn(async () => {});
    run.mockRejectedValueOnce(new Error('not yet'));
    await workOn(boss, queue, run);
    await boss.send(queue.name, {});
    // Without a look of its own it would come up after half a minute.
    await expect.poll(() => run.mock.calls.length).toBe(2);
  } finally {
    await boss.stop({ graceful: false });
  }
});
