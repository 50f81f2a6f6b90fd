import { TaskRequested } from '@tallyhand/contracts/features/tasks/tasks.events';
import { newId } from '@tallyhand/service-kit/crypto/ids';
import type { StoredEvent } from '@tallyhand/service-kit/event-store/event-log';
import { FairQueue } from '@tallyhand/service-kit/fair-queue';
import type { JobWithMetadata } from 'pg-boss';
import { afterAll, beforeAll, beforeEach, describe, expect, it, vi } from 'vitest';
import { runRequestedTasks, TASK_QUEUE } from '../features/tasks/task-queue.ts';
import { startJobWorker } from './job-worker.ts';
import { openTestKit, type TestKit } from './testing/backends.ts';

type Job = JobWithMetadata<{ readonly organizationId: string }>;

/** How many jobs of one organization a worker runs at once. */
const CAP = 8;

let kit: TestKit;
let organizationId: string;
beforeAll(async () => {
  kit = await openTestKit();
});
afterAll(() => kit[Symbol.asyncDispose]());
beforeEach(async () => {
  organizationId = newId();
  await kit.admin.query('delete from jobs.job');
});

const add = (count: number, of = organizationId) =>
  kit.opened.boss.insert(
    TASK_QUEUE.name,
    Array.from({ length: count }, () => ({
      id: newId(),
      data: { organizationId: of },
      group: { id: of },
    })),
  );

const work = (run: (job: Job) => Promise<void>) =>
  startJobWorker<Job['data']>({
    boss: kit.opened.boss,
    queue: TASK_QUEUE.name,
    turns: new FairQueue('tasks', {
      concurrency: 2 * CAP,
      concurrencyPerOrganization: CAP,
      waitingMax: 0,
      waitingPerOrganizationMax: 0,
    }),
    log: kit.config.log,
    run,
  });

/** How many jobs are in which state, and how often they were tried again. */
async function states() {
  const { rows } = await kit.admin.query<{ state: string; retries: number; jobs: number }>(
    `select state::text, retry_count as retries, count(*)::int as jobs from jobs.job
     group by 1, 2 order by 1, 2`,
  );
  return rows;
}

const allCompleted = [{ state: 'completed', retries: 0, jobs: 100 }];

const untilAborted = ({ signal }: Job) =>
  new Promise<void>((_, reject) => {
    signal.addEventListener('abort', () => reject(new Error('Stopped')));
  });

describe('the queue of tasks', () => {
  it('runs a job once that is claimed twice at the same time', async () => {
    const jobFor = (taskId: string) => ({
      taskId,
      organizationId: newId(),
      correlationId: 'c',
      causationId: newId(),
      position: 'C0-P0',
    });
    // Items that arrive during the first statement share the next.
    const [first, twice] = [jobFor(newId()), jobFor(newId())];
    await Promise.all([first, twice, twice].map((job) => kit.opened.queue.enqueue(job)));
    expect(await states()).toEqual([{ state: 'created', retries: 0, jobs: 2 }]);
  });

  it('has a job of each requested task, whichever process inserted it, after few statements', async () => {
    const { boss, queue, kit: own } = kit.opened;
    const tasks = Array.from({ length: 300 }, () => requested(newId()));
    const inserted = tasks.slice(0, 100).map(({ data }) => ({
      id: data.taskId,
      data: { organizationId },
      group: { id: organizationId },
    }));
    await boss.insert(TASK_QUEUE.name, inserted);
    const [insert, query] = [vi.spyOn(boss, 'insert'), vi.spyOn(own.pool, 'query')];
    try {
      await runRequestedTasks(queue).handle(tasks.map(({ event }) => event));
      const jobs = insert.mock.calls.flatMap(([, more]) => more);
      expect(jobs).toHaveLength(200);
      expect(jobs[0]?.data).toMatchObject({ taskId: tasks[100]?.data.taskId, position: 'C7-P7' });
      expect(insert.mock.calls.length + query.mock.calls.length).toBeLessThan(20);
    } finally {
      insert.mockRestore();
      query.mockRestore();
    }
    expect(await states()).toEqual([{ state: 'created', retries: 0, jobs: 300 }]);
  });
});

function requested(taskId: string) {
  const { data, type } = TaskRequested({
    taskId,
    organizationId,
    agentId: newId(),
    taskType: 'query',
    input: 'Within how many days can items be returned?',
    requestedBy: newId(),
    price: 1,
    deadline: '2027-01-01T00:00:00.000Z',
  });
  const envelope = {
    schemaVersion: TaskRequested.version,
    organizationId,
    actor: { kind: 'member', id: newId() },
    correlationId: newId(),
    causationId: null,
    commandId: newId(),
    recordedAt: '2026-12-01T00:00:00.000Z',
  };
  const position = { commit: 7n, prepare: 7n };
  const place = { id: newId(), stream: `task-${taskId}`, revision: 0n, position };
  const event: StoredEvent = { ...place, type, data, envelope };
  return { data: { taskId }, event };
}

describe('a worker', () => {
  it("runs each job once, and never exceeds an organization's cap", async () => {
    await add(100);
    const [seen, most] = [[] as string[], { now: 0, max: 0 }];
    await using _taker = work(async ({ id }) => {
      seen.push(id);
      most.now += 1;
      most.max = Math.max(most.max, most.now);
      await new Promise((resolve) => setImmediate(resolve));
      most.now -= 1;
    });
    await expect.poll(states).toEqual(allCompleted);
    expect([seen.length, new Set(seen).size]).toEqual([100, 100]);
    expect(most.max).toBeLessThanOrEqual(CAP);
  });

  it('shares the jobs with others, of which each is run once', async () => {
    await add(100);
    const seen: string[] = [];
    const run = async ({ id }: Job) => void seen.push(id);
    await using _one = work(run);
    await using _other = work(run);
    await expect.poll(states).toEqual(allCompleted);
    expect([seen.length, new Set(seen).size]).toEqual([100, 100]);
  });

  it('has a job that fails run again, and the others meanwhile', async () => {
    await add(3);
    const tries = new Map<string, number>();
    await using _taker = work(async ({ id }) => {
      tries.set(id, (tries.get(id) ?? 0) + 1);
      if (tries.keys().next().value === id && tries.get(id) === 1) throw new Error('Not yet');
    });
    await expect.poll(states).toEqual([
      { state: 'completed', retries: 0, jobs: 2 },
      { state: 'completed', retries: 1, jobs: 1 },
    ]);
    expect([...tries.values()].toSorted()).toEqual([1, 1, 2]);
  });

  it('claims a job that arrives while all slots are busy as soon as one is idle', async () => {
    const held: (() => void)[] = [];
    await add(CAP);
    await using taker = work(() => new Promise<void>((resolve) => held.push(resolve)));
    await expect.poll(() => held.length).toBe(CAP);
    await add(1);
    taker.announce(organizationId);
    held[0]?.();
    await expect.poll(() => held.length).toBe(CAP + 1);
    for (const release of held) release();
  });

  it('has a place free again before the end of its job is noted', async () => {
    await add(CAP * 3);
    let begun = 0;
    const lock = await kit.admin.connect();
    await lock.query('begin');
    await using _taker = work(async () => {
      begun += 1;
      // From now on no job can be noted as completed.
      if (begun === 1)
        await lock.query('select from jobs.job where state = $1 for update', ['active']);
    });
    await expect.poll(() => begun).toBe(CAP * 3);
    await lock.query('rollback');
    lock.release();
    await expect.poll(states).toEqual([{ state: 'completed', retries: 0, jobs: CAP * 3 }]);
  });

  it('runs the job of another organization while one floods', async () => {
    const held: (() => void)[] = [];
    await add(100);
    const other = newId();
    const begun: string[] = [];
    await using taker = work(({ data }) => {
      begun.push(data.organizationId);
      return new Promise<void>((resolve) => held.push(resolve));
    });
    await expect.poll(() => begun.length).toBe(CAP);
    await add(1, other);
    taker.announce(other);
    await expect.poll(() => begun.length).toBe(CAP + 1);
    expect(begun.at(-1)).toBe(other);
    for (const release of held) release();
  });

  it('serves waiting organizations in turn, including the flooding one', async () => {
    const [one, two, three] = [newId(), newId(), newId()];
    await add(50, one);
    await add(50, two);
    const held: (() => void)[] = [];
    const begun: string[] = [];
    await using taker = work(({ data }) => {
      begun.push(data.organizationId);
      return new Promise<void>((resolve) => held.push(resolve));
    });
    await expect.poll(() => begun.length).toBe(2 * CAP);
    await add(2, three);
    taker.announce(three);
    held[0]?.();
    await expect.poll(() => begun.length).toBe(2 * CAP + 1);
    expect(begun.at(-1)).toBe(three);
    for (const release of held) release();
  });

  it('finds a job that was not announced while another organization keeps it busy', async () => {
    const other = newId();
    let isFlooding = true;
    let isFound = false;
    await using taker = work(async ({ data }) => {
      if (data.organizationId === other) {
        isFound = true;
        return;
      }
      await new Promise((resolve) => setImmediate(resolve));
      if (!isFlooding) return;
      await add(1);
      taker.announce(organizationId);
    });
    await add(4);
    taker.announce(organizationId);
    await add(1, other);
    await expect.poll(() => isFound).toBe(true);
    isFlooding = false;
  });

  it('stops a job that another worker has claimed, and leaves it there', async () => {
    await add(1);
    const stopped = Promise.withResolvers<void>();
    const begun = Promise.withResolvers<void>();
    {
      await using _taker = work((job) => {
        begun.resolve();
        return untilAborted(job).finally(stopped.resolve);
      });
      await begun.promise;
      await kit.admin.query('update jobs.job set retry_count = retry_count + 1');
      await stopped.promise;
    }
    expect(await states()).toEqual([{ state: 'active', retries: 1, jobs: 1 }]);
  });

  it('stops running jobs when it ends, for others to run', async () => {
    await add(1);
    const begun = Promise.withResolvers<void>();
    {
      await using _taker = work((job) => {
        begun.resolve();
        return untilAborted(job);
      });
      await begun.promise;
    }
    expect(await states()).toEqual([{ state: 'retry', retries: 0, jobs: 1 }]);
    await using _other = work(async () => {});
    await expect.poll(states).toEqual([{ state: 'completed', retries: 1, jobs: 1 }]);
  });
});
