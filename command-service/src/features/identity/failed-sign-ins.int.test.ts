import { randomUUID } from 'node:crypto';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { openTestKit, type TestKit } from '../../kit/testing/backends.ts';
import { FailedSignIns, type TriedFrom } from './failed-sign-ins.ts';

const HOME = { address: '203.0.113.7' };
const ELSEWHERE = { address: '203.0.113.8' };

let kit: TestKit;
let failures: FailedSignIns;
beforeAll(async () => {
  kit = await openTestKit();
  failures = new FailedSignIns(kit.opened.kit);
});
afterAll(() => kit[Symbol.asyncDispose]());

/** The seconds that a try has to wait; null where it is let through, and counted. */
async function tried(account: string, from: TriedFrom): Promise<number | null> {
  const answer = await failures.attempt(account, from);
  return 'seconds' in answer ? answer.seconds : null;
}

async function failTimes(times: number, account: string, from: TriedFrom = HOME) {
  for (let i = 0; i < times; i += 1) await failures.attempt(account, from);
}

/** Lets the account's failures lie further back. */
const laterBy = (account: string, minutes: number) =>
  kit.admin.query(
    `update operational.sign_in_failures set failed_at = failed_at - make_interval(mins => $2)
     where account_key = $1`,
    [account, minutes],
  );

describe('failed sign-ins', () => {
  it('make the account wait from the fifth on', async () => {
    const account = randomUUID();
    await failTimes(4, account);
    expect(await tried(account, HOME)).toBeNull();
    const seconds = await tried(account, HOME);
    expect(seconds).toBeGreaterThan(14 * 60);
    expect(seconds).toBeLessThanOrEqual(15 * 60);
  });

  it('never exceed the limit when they arrive at once', async () => {
    const account = randomUUID();
    const all = Array.from({ length: 30 }, () => tried(account, HOME));
    const allowed = (await Promise.all(all)).filter((seconds) => seconds === null);
    expect(allowed.length).toBeLessThanOrEqual(5);
  });

  it('do not throttle another address or another account', async () => {
    const account = randomUUID();
    await failTimes(5, account);
    expect(await tried(account, ELSEWHERE)).toBeNull();
    expect(await tried(randomUUID(), HOME)).toBeNull();
  });

  it('count for fifteen minutes each', async () => {
    const account = randomUUID();
    await failTimes(3, account);
    await laterBy(account, 10);
    await failTimes(2, account);
    const seconds = await tried(account, HOME);
    expect(seconds).toBeGreaterThan(4 * 60);
    expect(seconds).toBeLessThanOrEqual(5 * 60);
    await laterBy(account, 6);
    expect(await tried(account, HOME)).toBeNull();
  });

  it('are forgotten after a right password, at this address only', async () => {
    const account = randomUUID();
    await failTimes(5, account);
    await failTimes(5, account, ELSEWHERE);
    await failures.forget(account, HOME);
    expect(await tried(account, HOME)).toBeNull();
    expect(await tried(account, ELSEWHERE)).not.toBeNull();
  });

  it('are not counted after they were withdrawn', async () => {
    const account = randomUUID();
    for (let i = 0; i < 10; i += 1) {
      const answer = await failures.attempt(account, HOME);
      if ('seconds' in answer) expect.fail('It had to wait');
      await answer.takeBack();
    }
    expect(await tried(account, HOME)).toBeNull();
  });

  it('leave no network address in the table', async () => {
    const account = randomUUID();
    await failTimes(1, account);
    const { rows } = await kit.admin.query(
      'select * from operational.sign_in_failures where account_key = $1',
      [account],
    );
    expect(JSON.stringify(rows)).not.toContain(HOME.address);
  });
});

describe('a thousand guesses from as many addresses', () => {
  it('are twenty in an hour, and never make a browser wait that is known', async () => {
    const account = randomUUID();
    const guess = (i: number) => tried(account, { address: `198.51.${i >> 8}.${i & 255}` });
    for (let i = 0; i < 20; i += 1) expect(await guess(i)).toBeNull();
    for (let from = 20; from < 1_000; from += 20) {
      const waits = await Promise.all(Array.from({ length: 20 }, (_, i) => guess(from + i)));
      expect(waits).not.toContain(null);
    }
    const seconds = await tried(account, HOME);
    expect(seconds).toBeGreaterThan(55 * 60);
    expect(await tried(account, { known: 'the owner’s' })).toBeNull();
    await laterBy(account, 61);
    expect(await tried(account, HOME)).toBeNull();
  });

  it('are five in a quarter of an hour from a browser that is known', async () => {
    const account = randomUUID();
    const known = { known: 'one that was stolen' };
    await failTimes(5, account, known);
    expect(await tried(account, known)).not.toBeNull();
    expect(await tried(account, { known: 'the owner’s' })).toBeNull();
  });
});
