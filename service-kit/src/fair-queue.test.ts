import fc from 'fast-check';
import { describe, expect, it, vi } from 'vitest';
import { figuresOf, type Piece, settled, TestQueue } from './testing/test-queue.ts';

describe('FairQueue', () => {
  it('starts the work of another organization while one floods', async () => {
    const test = new TestQueue();
    test.addMany('a', 14);
    test.add('b');
    expect(await test.order()).toBe('ab');
  });

  it('serves waiting organizations in turns, and keeps the order within each', async () => {
    const test = new TestQueue({ concurrency: 1 });
    const pieces = [...test.addMany('a', 4), ...test.addMany('b', 2), ...test.addMany('c', 3)];
    expect(await test.drain()).toBe('abcabcaca');
    for (const organization of ['a', 'b', 'c']) {
      const own = test.started.filter((piece) => piece.organization === organization);
      expect(own).toEqual(pieces.filter((piece) => piece.organization === organization));
    }
  });

  it('runs no more of an organization than its cap, even when no other work waits', async () => {
    const test = new TestQueue({ concurrency: 5, concurrencyPerOrganization: 3 });
    test.addMany('a', 10);
    expect(await test.order()).toBe('aaa');
    expect([test.queue.free, test.queue.runningOf('a')]).toEqual([2, 3]);
  });

  it('refuses work of an organization over its limit, and accepts that of others', async () => {
    const test = new TestQueue({ waitingPerOrganizationMax: 3 });
    test.addMany('a', 4);
    const refused = await test.add('a').result;
    const code = 'organization-queue-full';
    expect(refused).toMatchObject({ code, status: 429, params: { retryAfterSeconds: 1 } });
    const other = test.add('b');
    expect(await test.drain()).toBe('abaaa');
    expect(await other.result).toBe('ended');
  });

  it('queues work beyond the limit if its caller bounds it', async () => {
    const { queue } = new TestQueue({ waitingPerOrganizationMax: 0 });
    const first = queue.run('a', () => settled());
    expect(await queue.tryRun('a', () => 2)).toMatchObject({ code: 'organization-queue-full' });
    expect(await queue.run('a', () => 3)).toBe(3);
    await first;
  });

  it('is bounded in total', async () => {
    const test = new TestQueue({ waitingMax: 3 });
    const organizations = ['a', 'b', 'c', 'd', 'e'];
    for (const organization of organizations) test.add(organization);
    const refused = { code: 'server-queue-full', status: 503 };
    expect(await test.add('f').result).toMatchObject(refused);
    expect(await test.drain()).toBe('abcde');
  });

  it('predicts what it would refuse', async () => {
    const test = new TestQueue({
      concurrency: 3,
      concurrencyPerOrganization: 2,
      waitingMax: 3,
      waitingPerOrganizationMax: 2,
    });
    for (const organization of 'aaaabbaccdd') {
      const said = test.queue.refusalFor(organization);
      const piece = test.add(organization);
      const refused = await Promise.race([piece.result, settled().then(() => null)]);
      expect(said).toEqual(refused);
    }
    await test.drain();
    for (const organization of 'abcd') expect(test.queue.refusalFor(organization)).toBeNull();
  });

  it('releases the turn of work whose caller has left', async () => {
    const test = new TestQueue({ concurrency: 1, waitingPerOrganizationMax: 2 });
    const [, second] = test.addMany('a', 3);
    await settled();
    second?.abort();
    expect(await second?.result).toMatchObject({ message: 'aborted' });
    test.add('a');
    expect(await test.drain()).toBe('aaa');
    expect(test.started).not.toContain(second);
  });

  it('does not count work as waiting when its caller has left', async () => {
    const test = new TestQueue({ concurrency: 1, waitingMax: 1 });
    test.add('a');
    const gone = test.add('b');
    gone.abort();
    await gone.result;
    test.add('c');
    expect(await test.add('d').result).toMatchObject({ code: 'server-queue-full' });
    expect(await test.drain()).toBe('ac');
  });

  it('keeps the turns of others when the caller of running work has left', async () => {
    const test = new TestQueue({ concurrency: 1 });
    const [first] = test.addMany('a', 3);
    await settled();
    first?.abort();
    expect(await test.drain()).toBe('aaa');
    expect(await first?.result).toBe('ended');
  });

  it('has a place for an organization below its cap while one is free', () => {
    const { queue } = new TestQueue({ concurrency: 3, concurrencyPerOrganization: 2 });
    const start = (organization: string) => void queue.run(organization, () => settled());
    const places = () => ['a', 'b'].map((organization) => queue.hasPlaceFor(organization));
    start('a');
    expect(places()).toEqual([true, true]);
    start('a');
    expect(places()).toEqual([false, true]);
    start('b');
    expect(places()).toEqual([false, false]);
  });

  it('names the organizations with running work, not those that wait or have ended', async () => {
    const test = new TestQueue({ concurrency: 1 });
    const first = test.add('a');
    test.add('b');
    await settled();
    expect(test.queue.runningOrganizations()).toEqual(['a']);
    first.end();
    await first.result;
    expect(test.queue.runningOrganizations()).toEqual(['b']);
  });

  it.each([
    { waitedSeconds: 0, retryAfterSeconds: 1 },
    { waitedSeconds: 30, retryAfterSeconds: 30 },
    { waitedSeconds: 100, retryAfterSeconds: 60 },
  ])('suggests a retry when a place is likely to be free: %j', async (rule) => {
    const test = new TestQueue({ concurrency: 1, waitingPerOrganizationMax: 1 });
    const now = vi.spyOn(performance, 'now').mockReturnValue(5_000);
    test.addMany('a', 2);
    now.mockReturnValue(5_000 + rule.waitedSeconds * 1_000);
    const refused = test.add('a').result;
    now.mockRestore();
    const { retryAfterSeconds } = rule;
    expect(await refused).toMatchObject({ params: { retryAfterSeconds } });
  });

  it('does not begin for a caller that has left', async () => {
    const { queue } = new TestQueue();
    await expect(
      queue.run('a', () => 1, { signal: AbortSignal.abort(new Error('gone')) }),
    ).rejects.toThrow('gone');
    expect(queue.free).toBe(2);
  });

  it('frees the place when the work fails', async () => {
    const { queue } = new TestQueue({ concurrency: 1 });
    const failing = queue.run('a', () => Promise.reject(new Error('failed')));
    const next = queue.run('a', () => 'next');
    await expect(failing).rejects.toThrow('failed');
    expect(await next).toBe('next');
    expect([queue.free, queue.runningOf('a')]).toEqual([1, 0]);
  });

  it('reports running, waiting and refused work as metrics', async () => {
    const test = new TestQueue({ waitingPerOrganizationMax: 1 }, 'figures');
    test.addMany('a', 3);
    await settled();
    new TestQueue({}, 'idle');
    expect(figuresOf('idle')?.at(-1)).toMatch(/oldest_wait_seconds.* 0$/);
    expect(figuresOf('figures')).toEqual([
      'tallyhand_shared_queue_work{queue="figures",state="running"} 1',
      'tallyhand_shared_queue_work{queue="figures",state="suspended"} 0',
      'tallyhand_shared_queue_work{queue="figures",state="waiting"} 1',
      'tallyhand_shared_queue_refused_total{queue="figures",limit="organization"} 1',
      'tallyhand_shared_queue_refused_total{queue="figures",limit="total"} 0',
      expect.stringMatching(/^tallyhand_shared_queue_oldest_wait_seconds.* 0\.\d+$/),
    ]);
    await test.drain();
    expect(figuresOf('figures')?.join('\n')).toContain('state="running"} 0');
    expect(figuresOf('figures')?.at(-1)).toBe(
      'tallyhand_shared_queue_oldest_wait_seconds{queue="figures"} 0',
    );
  });
});

type Step = readonly ['add', string] | readonly ['end' | 'abort' | 'suspend' | 'resume', number];

const steps = fc.array(
  fc.oneof(
    { weight: 4, arbitrary: fc.tuple(fc.constant('add'), fc.constantFrom('a', 'b', 'c', 'd')) },
    fc.tuple(fc.constantFrom('end', 'abort', 'suspend', 'resume'), fc.nat(99)),
  ),
  { maxLength: 120 },
) as fc.Arbitrary<Step[]>;

describe('any history', () => {
  it('keeps the limits, leaves no usable place idle, and starves no organization', async () => {
    await fc.assert(
      fc.asyncProperty(
        steps,
        fc.integer({ min: 1, max: 4 }),
        fc.integer({ min: 1, max: 3 }),
        async (history, concurrency, concurrencyPerOrganization) => {
          const limits = { concurrency, concurrencyPerOrganization, waitingPerOrganizationMax: 5 };
          const test = new TestQueue({ ...limits, waitingMax: 8 });
          const all: Piece[] = [];
          const over = new Set<Piece>();
          const suspended = new Set<Piece>();
          const waits = () => all.filter((one) => !over.has(one) && one.place === null);
          for (const [what, which] of history) {
            if (what === 'add') {
              const piece = test.add(which);
              all.push(piece);
              void piece.result.then(() => over.add(piece));
            } else {
              const piece = [...test.running, ...waits()][which];
              const isRunning = piece && test.running.has(piece);
              if (what === 'abort' && piece?.place === null) piece.abort();
              if (what === 'end' && isRunning && !suspended.has(piece)) piece.end();
              if (what === 'suspend' && isRunning && !suspended.has(piece)) {
                suspended.add(piece);
                piece.place?.suspend();
              }
              if (what === 'resume' && piece && suspended.has(piece)) {
                void piece.place?.resume().then(() => suspended.delete(piece));
              }
            }
            await settled();
            const running = [...test.running].filter((piece) => !suspended.has(piece));
            const ofEach = Map.groupBy(running, ({ organization }) => organization);
            const waiting = Map.groupBy(waits(), ({ organization }) => organization);
            expect(running.length).toBeLessThanOrEqual(concurrency);
            for (const organization of ['a', 'b', 'c', 'd']) {
              const own = ofEach.get(organization) ?? [];
              expect(test.queue.runningOf(organization)).toBe(own.length);
              expect(own.length).toBeLessThanOrEqual(concurrencyPerOrganization);
            }
            expect(waits().length).toBeLessThanOrEqual(8);
            for (const [, own] of waiting) expect(own.length).toBeLessThanOrEqual(5);
            // No place is free that something waiting could have.
            for (const [organization] of waiting) {
              const isBelow = (ofEach.get(organization)?.length ?? 0) < concurrencyPerOrganization;
              const started = [...test.running].filter((one) => one.organization === organization);
              const mayStart = isBelow && started.length < concurrencyPerOrganization;
              if (mayStart && test.running.size < concurrency) {
                expect(running.length).toBe(concurrency);
              }
            }
          }
          // Whatever waits gets its turn, in the order of its organization.
          const left = waits();
          for (const piece of suspended)
            void piece.place?.resume().then(() => suspended.delete(piece));
          await test.drain();
          for (const piece of left) expect(test.started).toContain(piece);
          for (const [, own] of Map.groupBy(test.started, ({ organization }) => organization)) {
            const numbers = own.map(({ number }) => number);
            expect(numbers).toEqual(numbers.toSorted((a, b) => a - b));
          }
          expect(test.queue.free).toBe(concurrency);
        },
      ),
      { numRuns: 200 },
    );
  });

  it('gives an organization its turn before any other has two', async () => {
    await fc.assert(
      fc.asyncProperty(
        fc.array(fc.constantFrom('a', 'b', 'c', 'd'), { maxLength: 60 }),
        async (added) => {
          const test = new TestQueue({ concurrency: 1, waitingPerOrganizationMax: 60 });
          for (const organization of added) test.add(organization);
          const order = [...(await test.drain())];
          expect(order.length).toBe(added.length);
          for (const organization of new Set(added)) {
            const turns = order.flatMap((each, at) => (each === organization ? [at] : []));
            for (const [index, at] of turns.entries()) {
              const others = order.slice((turns[index - 1] ?? -1) + 1, at);
              expect(new Set(others).size).toBe(others.length);
            }
          }
        },
      ),
      { numRuns: 100 },
    );
  });
});
