import { testDatabase } from '@tallyhand/test-kit/backends';
import pg from 'pg';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { jsonLog } from '../log.ts';
import { sharedKeyCalls } from './shared-key-calls.ts';

const PER_MINUTE = 10;
const KEYS = 500;
/** In the middle of a minute that does not end. */
const at = 90_000;

const stack = new AsyncDisposableStack();
let url: string;
let pool: pg.Pool;
beforeAll(async () => {
  url = stack.use(await testDatabase()).url;
  pool = stack.adopt(new pg.Pool({ connectionString: url }), (p) => p.end());
});
afterAll(() => stack.disposeAsync());

const instance = (service: string, sharedEveryMs = 10) =>
  sharedKeyCalls({
    service,
    url,
    pool,
    perMinute: PER_MINUTE,
    scale: 1,
    now: () => at,
    report: () => {},
    sharedEveryMs,
    log: jsonLog('test', 'silent'),
  });
type Instance = Awaited<ReturnType<typeof instance>>;
const keyOf = (number: number) => `key-${number}`;

/** Of so many keys that no one notification takes them all. */
function useUp(one: Instance) {
  for (let number = 0; number < KEYS; number += 1) one.count(keyOf(number), PER_MINUTE);
}

/** Reports each key's calls once, since asking counts as a call; the latest come first. */
function asking(one: Instance) {
  let left = KEYS;
  return () => {
    left -= 1;
    return one.count(keyOf(left), 1);
  };
}

describe('the calls of a key at several instances', () => {
  it('are refused above one limit for all, and those of other keys are not', async () => {
    await using one = await instance('reads');
    await using other = await instance('reads');
    useUp(one);
    await expect.poll(asking(other)).toBe(30);
    expect(other.count(keyOf(0), 1)).toBe(30);
    expect(other.count('another key', PER_MINUTE)).toBeNull();
  });

  it('are reported by an instance that ends, and not to another service', async () => {
    await using other = await instance('reads');
    await using unlike = await instance('commands');
    const one = await instance('reads', 60_000);
    useUp(one);
    expect(other.count(keyOf(0), 1)).toBeNull();
    await one[Symbol.asyncDispose]();
    await expect.poll(asking(other)).toBe(30);
    expect(unlike.count(keyOf(1), PER_MINUTE)).toBeNull();
  });

  it('are counted here when a notification is foreign', async () => {
    await using one = await instance('reads');
    for (const payload of ['', '{}', '{"process":1,"minute":1,"costs":[["a",99]]}']) {
      await pool.query('select pg_notify($1, $2)', ['key_calls_reads', payload]);
    }
    expect(one.count('a', PER_MINUTE)).toBeNull();
    expect(one.count('a', 1)).toBe(30);
  });
});
