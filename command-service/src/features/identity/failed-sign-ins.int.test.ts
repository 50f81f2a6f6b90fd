import { randomUUID } from 'node:crypto';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { openTestKit, type TestKit } from '../../kit/testing/backends.ts';
import { failedSignInsOf } from './failed-sign-ins.ts';

const HOME = '203.0.113.7';
const ELSEWHERE = '203.0.113.8';

let kit: TestKit;
let failures: ReturnType<typeof failedSignInsOf>;
beforeAll(async () => {
  kit = await openTestKit();
  failures = failedSignInsOf(kit.opened.kit);
});
afterAll(() => kit[Symbol.asyncDispose]());

async function failTimes(times: number, account: string, ip = HOME) {
  for (let i = 0; i < times; i += 1) await failures.attempt(account, ip);
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
    expect(await failures.attempt(account, HOME)).toBeNull();
    const seconds = await failures.attempt(account, HOME);
    expect(seconds).toBeGreaterThan(14 * 60);
    expect(seconds).toBeLessThanOrEqual(15 * 60);
  });

  it('are no more when they come at once', async () => {
    const account = randomUUID();
    const all = Array.from({ length: 30 }, () => failures.attempt(account, HOME));
    const allowed = (await Promise.all(all)).filter((seconds) => seconds === null);
    expect(allowed.length).toBeLessThanOrEqual(5);
  });

  it('let nobody wait at another address, or for another account', async () => {
    const account = randomUUID();
    await failTimes(5, account);
    expect(await failures.attempt(account, ELSEWHERE)).toBeNull();
    expect(await failures.attempt(randomUUID(), HOME)).toBeNull();
  });

  it('count for fifteen minutes each', async () => {
    const account = randomUUID();
    await failTimes(3, account);
    await laterBy(account, 10);
    await failTimes(2, account);
    const seconds = await failures.attempt(account, HOME);
    expect(seconds).toBeGreaterThan(4 * 60);
    expect(seconds).toBeLessThanOrEqual(5 * 60);
    await laterBy(account, 6);
    expect(await failures.attempt(account, HOME)).toBeNull();
  });

  it('are forgotten after a right password, at this address only', async () => {
    const account = randomUUID();
    await failTimes(5, account);
    await failTimes(5, account, ELSEWHERE);
    await failures.forget(account, HOME);
    expect(await failures.attempt(account, HOME)).toBeNull();
    expect(await failures.attempt(account, ELSEWHERE)).not.toBeNull();
  });

  it('leave no network address in the table', async () => {
    const account = randomUUID();
    await failTimes(1, account);
    const { rows } = await kit.admin.query(
      'select * from operational.sign_in_failures where account_key = $1',
      [account],
    );
    expect(JSON.stringify(rows)).not.toContain(HOME);
  });
});
