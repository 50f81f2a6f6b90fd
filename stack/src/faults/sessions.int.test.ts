import { constants, getPriority } from 'node:os';
import { livingOf } from '@tallyhand/browser-runner/browser/fixtures/processes';
import type { SessionDetail } from '@tallyhand/contracts/features/sessions/sessions.endpoints';
import type { ApiClient } from '@tallyhand/test-kit/api-client';
import { caseRuns, isAllCases, reportFault } from '@tallyhand/test-kit/cases';
import { describeIf } from '@tallyhand/test-kit/needs';
import { afterAll, beforeAll, describe, expect, it, vi } from 'vitest';
import { watchSession } from '../testing/scripted-runner.ts';
import {
  type BrowsingProduct,
  expectPaid,
  expectVerified,
  startBrowsingProduct,
} from './browsing-product.ts';

const SESSIONS = 4;
const VIEWERS_EACH = 2;
const MEASURE_MS = 500;
/** Of processes that come and go with pages, and of memory between two collections of garbage. */
const PROCESSES_MORE = 6;
const BYTES_MORE = 150_000_000;

const SECONDS = 600;
const crashes = caseRuns(2, 100).numRuns;

let at: BrowsingProduct;
beforeAll(async () => {
  at = await startBrowsingProduct();
});
afterAll(() => at[Symbol.asyncDispose]());

/**
 * One session after the other, at least one, each watched from start to end; returns their owners.
 */
async function keepBrowsing(until: number): Promise<ApiClient[]> {
  const clients: ApiClient[] = [];
  do {
    const { client, sessions } = await at.start(1, 10);
    const [session] = sessions;
    if (!session) throw new Error('No session was started');
    const views = Array.from({ length: VIEWERS_EACH }, () =>
      watchSession(at.url, client, session.id),
    );
    const viewers = await Promise.all(views);
    const ended = await session.ended();
    expect(ended.session).toMatchObject({ status: 'completed', endReason: 'goal-reached' });
    for (const viewer of viewers) {
      const isOver = () =>
        viewer.heard.some((each) => each.type === 'state' && each.status === 'completed');
      await vi.waitUntil(isOver);
      expect(viewer.heard.some(({ type }) => type === 'live_update')).toBe(true);
      viewer.close();
    }
    await expectPaid(client, [ended]);
    clients.push(client);
  } while (performance.now() < until);
  return clients;
}

const browseUntil = async (until: number) =>
  (await Promise.all(Array.from({ length: SESSIONS }, () => keepBrowsing(until)))).flat();

type Measured = { readonly processes: number; readonly bytes: number };

const median = (values: readonly number[]) =>
  values.toSorted((a, b) => a - b)[Math.floor(values.length / 2)] ?? 0;

function measuring() {
  const measured: Measured[] = [];
  const timer = setInterval(() => {
    measured.push({ processes: at.runner.browsers().length, bytes: at.runner.bytes() });
  }, MEASURE_MS);
  return {
    /** The usage of the first and second half: maximum of processes, median of memory. */
    halves() {
      clearInterval(timer);
      const middle = Math.floor(measured.length / 2);
      return [measured.slice(0, middle), measured.slice(middle)].map((half) => ({
        processes: Math.max(...half.map(({ processes }) => processes)),
        bytes: median(half.map(({ bytes }) => bytes)),
      }));
    },
  };
}

/** The browser's and the runner's by turns. */
async function crash(number: number, browsers: readonly number[]) {
  if (number % 2 === 0) process.kill(browsers[0] ?? 0, 'SIGKILL');
  else {
    await at.runner.kill();
    await at.startRunner();
  }
  await expect.poll(() => livingOf(browsers)).toEqual([]);
}

// A sample of a few seconds shows no growth.
describeIf(isAllCases(), '--all')('sessions that are watched', () => {
  it('let neither memory nor processes grow', { timeout: SECONDS * 2_000 + 300_000 }, async () => {
    // A process that has just started grows by its permanent data.
    const warm = await browseUntil(performance.now());
    const measured = measuring();
    const clients = await browseUntil(performance.now() + SECONDS * 1_000);
    const [first, second] = measured.halves();
    if (!first || !second) throw new Error('Nothing was measured');
    expect(first.processes).toBeGreaterThan(SESSIONS);
    expect(second.processes).toBeLessThanOrEqual(first.processes + PROCESSES_MORE);
    expect(second.bytes).toBeLessThanOrEqual(first.bytes + BYTES_MORE);
    await expectVerified([...warm, ...clients]);
    expect(await at.open()).toBe(0);
  });
});

describe('kill -9 of a browser, or of its runner,', () => {
  it('leaves no process and loses no credit', { timeout: crashes * 600_000 }, async () => {
    const clients: ApiClient[] = [];
    for (let number = 0; number < crashes; number += 1) {
      const { client, sessions } = await at.start(2, 8);
      await Promise.all(sessions.map((session) => session.steps(number % 4)));
      const browsers = await vi.waitUntil(
        () => at.runner.browsers().length > 3 && at.runner.browsers(),
      );
      // Faults of foreign pages come after those of the product.
      expect(getPriority(at.runner.pid())).toBe(constants.priority.PRIORITY_BELOW_NORMAL);
      const since = performance.now();
      await crash(number, browsers);
      reportFault({ runs: 1, recoveryMs: performance.now() - since });
      const ended: SessionDetail[] = [];
      for (const session of sessions) ended.push(await session.ended());
      expect(ended.map(({ session }) => session.endReason)).toEqual([
        'goal-reached',
        'goal-reached',
      ]);
      await expectPaid(client, ended);
      clients.push(client);
    }
    await expectVerified(clients);
    expect(await at.open()).toBe(0);
  });

  it('leaves nothing once the last runner has stopped', async () => {
    const browsers = at.runner.browsers();
    await at.runner.stop();
    await expect.poll(() => livingOf(browsers)).toEqual([]);
    expect(at.runner.leftovers()).toEqual([]);
  });
});
