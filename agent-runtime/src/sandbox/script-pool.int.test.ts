import { afterEach, describe, expect, it } from 'vitest';
import { runScript, testPool } from './fixtures/run-script.ts';
import type { ScriptRun } from './script-run.ts';
import type { ScriptPool } from './script-thread.ts';

const endless = 'for (;;);';
const opened: ScriptPool[] = [];

function open(limits?: Parameters<typeof testPool>[0]): ScriptPool {
  const pool = testPool(limits);
  opened.push(pool);
  return pool;
}

afterEach(async () => {
  await Promise.all(opened.splice(0).map((pool) => pool.dispose()));
});
/** The threads of this process, each of which has one port to it. */
function threadCount(): number {
  return process.getActiveResourcesInfo().filter((name) => name === 'MessagePort').length;
}

/** A fetch that answers when the test allows it, and a promise that it was called. */
function gate() {
  const asked = Promise.withResolvers<void>();
  const answer = Promise.withResolvers<void>();
  let isAsked = false;
  const fetch: ScriptRun['fetch'] = async () => {
    isAsked = true;
    asked.resolve();
    await answer.promise;
    return { status: 200, headers: {}, body: '' };
  };
  return { fetch, asked: asked.promise, wasAsked: () => isAsked, answer: answer.resolve };
}

const answering = { fetch: async () => ({ status: 200, headers: {}, body: '' }) };

describe('the pool of scripts', () => {
  it('runs scripts in the order of their calls', async () => {
    const pool = open({ concurrency: 1, startedPerOrganizationMax: 1 });
    const started: string[] = [];
    const fetch: ScriptRun['fetch'] = async ({ url }) => {
      started.push(url);
      return { status: 200, headers: {}, body: '' };
    };
    const numbers = ['0', '1', '2', '3', '4', '5'];
    const runs = numbers.map((input) =>
      runScript(pool, 'await fetch(input); return input;', { input, fetch }),
    );
    expect(await Promise.all(runs)).toMatchObject(numbers.map((value) => ({ ok: true, value })));
    expect(started).toEqual(numbers);
  });

  it("starts no more of an organization than its share, and others' work meanwhile", async () => {
    const pool = open({ startedPerOrganizationMax: 2 });
    const [first, second, third] = [gate(), gate(), gate()];
    const script = 'await fetch("a"); return 1;';
    const runs = [first, second, third].map(({ fetch }) => runScript(pool, script, { fetch }));
    await Promise.all([first.asked, second.asked]);
    expect(await runScript(pool, script, { ...answering, organizationId: 'other' })).toMatchObject({
      value: 1,
    });
    expect(third.wasAsked()).toBe(false);
    second.answer();
    await third.asked;
    first.answer();
    third.answer();
    expect(await Promise.all(runs)).toMatchObject([{ value: 1 }, { value: 1 }, { value: 1 }]);
  });

  it.each([
    ['sleep', 'await sleep(1e9);'],
    ['fetch', 'await fetch("a");'],
  ])('runs the scripts of others while those of one organization wait in %s', async (_, script) => {
    const pool = open({ concurrency: 1, startedPerOrganizationMax: 2 });
    const controller = new AbortController();
    const fetch = () => new Promise<never>(() => {});
    const flood = Array.from({ length: 14 }, () =>
      runScript(pool, script, { fetch, signal: controller.signal, limits: { timeMs: 600_000 } }),
    );
    expect(await runScript(pool, 'return 1;', { organizationId: 'other' })).toMatchObject({
      value: 1,
    });
    controller.abort();
    const ends = await Promise.all(flood);
    expect(ends.map((end) => !end.ok && end.error.kind)).toEqual(ends.map(() => 'aborted'));
  });

  it('runs the script of another organization while scripts of one loop', async () => {
    const pool = open({ concurrency: 2, concurrencyPerOrganization: 1 });
    const controller = new AbortController();
    const { signal } = controller;
    const limits = { timeMs: 600_000 };
    const flood = Array.from({ length: 14 }, () => runScript(pool, endless, { signal, limits }));
    expect(await runScript(pool, 'return 1;', { organizationId: 'other' })).toMatchObject({
      value: 1,
    });
    controller.abort();
    await Promise.all(flood);
  });

  it('counts no wait for a place as time of the script', async () => {
    const pool = open({ concurrency: 1 });
    const { fetch, asked, answer } = gate();
    const waiting = runScript(pool, 'await fetch("a"); return 1;', {
      fetch,
      limits: { timeMs: 1_000 },
    });
    await asked;
    const looping = runScript(pool, endless, { limits: { timeMs: 2_000 } });
    const started = runScript(pool, 'return 2;');
    answer();
    expect(await looping).toMatchObject({ error: { kind: 'timeout' } });
    const ends = await Promise.all([waiting, started]);
    expect(ends).toMatchObject([{ value: 1 }, { value: 2 }]);
  });

  it('leaves the event loop free while twenty scripts loop', async () => {
    const pool = open();
    let beats = 0;
    const heart = setInterval(() => {
      beats += 1;
    }, 5);
    const limits = { timeMs: 50 };
    const runs = Array.from({ length: 20 }, () => runScript(pool, endless, { limits }));
    const results = await Promise.all(runs);
    clearInterval(heart);
    expect(results.map((result) => !result.ok && result.error.kind)).toEqual(
      Array.from({ length: 20 }, () => 'timeout'),
    );
    // Each of the ten pairs ran for 50 ms at least, in which a free loop beats several times.
    expect(beats).toBeGreaterThan(20);
  });

  it('runs a short script while another one loops', async () => {
    const pool = open();
    const controller = new AbortController();
    const looping = runScript(pool, endless, { signal: controller.signal });
    expect(await runScript(pool, 'return 1;')).toMatchObject({ value: 1 });
    controller.abort();
    expect(await looping).toMatchObject({ error: { kind: 'aborted' } });
  });

  it('refuses a script when too many of its organization wait', async () => {
    const pool = open({ concurrency: 1, startedMax: 1, waitingPerOrganizationMax: 1 });
    const { fetch, asked, answer } = gate();
    const first = runScript(pool, 'await fetch("a"); return 1;', { fetch });
    const second = runScript(pool, 'return 2;');
    await asked;
    await expect(runScript(pool, 'return 3;')).rejects.toThrow('organization-queue-full');
    const other = runScript(pool, 'return 4;', { organizationId: 'other' });
    answer();
    expect(await Promise.all([first, second, other])).toMatchObject([
      { value: 1 },
      { value: 2 },
      { value: 4 },
    ]);
  });

  it('rejects an input that is not JSON, and continues', async () => {
    const pool = open({ concurrency: 1 });
    await expect(runScript(pool, 'return 1;', { input: 1n })).rejects.toBeInstanceOf(TypeError);
    expect(await runScript(pool, 'return 1;')).toMatchObject({ value: 1 });
  });
});

describe('an aborted run', () => {
  it('ends immediately in a loop, and keeps its log', async () => {
    const pool = open();
    const controller = new AbortController();
    const { fetch, asked, answer } = gate();
    const script = `console.log('looping'); await fetch('a'); ${endless}`;
    const run = runScript(pool, script, { fetch, signal: controller.signal });
    await asked;
    answer();
    controller.abort();
    expect(await run).toMatchObject({ error: { kind: 'aborted' }, logs: ['looping'] });
  });

  it('ends its requests', async () => {
    const pool = open();
    const controller = new AbortController();
    const asked = Promise.withResolvers<AbortSignal>();
    const fetch: ScriptRun['fetch'] = (_, signal) => {
      asked.resolve(signal);
      return new Promise(() => {});
    };
    const run = runScript(pool, 'await fetch("a");', { fetch, signal: controller.signal });
    const signal = await asked.promise;
    controller.abort();
    expect(await run).toMatchObject({ error: { kind: 'aborted' } });
    expect(signal.aborted).toBe(true);
  });

  it('passes its place in the queue on', async () => {
    const pool = open({ concurrency: 1, startedMax: 1 });
    const { fetch, asked, answer } = gate();
    const controller = new AbortController();
    const first = runScript(pool, 'await fetch("a"); return 1;', { fetch });
    const second = runScript(pool, 'return 2;', { signal: controller.signal });
    const third = runScript(pool, 'return 3;');
    await asked;
    controller.abort();
    expect(await second).toMatchObject({ error: { kind: 'aborted' }, logs: [], ms: 0 });
    answer();
    expect(await Promise.all([first, third])).toMatchObject([{ value: 1 }, { value: 3 }]);
  });

  it('never starts when it was aborted before', async () => {
    const fetch = () => Promise.reject(new Error('It ran.'));
    const result = await runScript(open(), 'await fetch("a");', {
      fetch,
      signal: AbortSignal.abort(),
    });
    expect(result).toMatchObject({ ok: false, error: { kind: 'aborted' }, ms: 0 });
  });
});

describe('dispose', () => {
  it('ends running and waiting scripts, and accepts no more', async () => {
    const pool = open();
    const { fetch, asked } = gate();
    const before = threadCount();
    const runs = [
      runScript(pool, 'await fetch("a");', { fetch }),
      ...Array.from({ length: 5 }, () => runScript(pool, endless)),
    ];
    await asked;
    expect(threadCount()).toBeGreaterThan(before);
    await pool.dispose();
    expect(threadCount()).toBe(before);
    const kinds = (await Promise.all(runs)).map((result) => !result.ok && result.error.kind);
    expect(kinds).toEqual(Array.from({ length: 6 }, () => 'aborted'));
    expect(await runScript(pool, 'return 1;')).toMatchObject({ error: { kind: 'aborted' } });
    await pool.dispose();
  });
});
