import { openPool } from '@tallyhand/service-kit/postgres/pool';
import { testDatabase } from '@tallyhand/test-kit/backends';
import { testLog } from '@tallyhand/test-kit/cases';
import type pg from 'pg';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { type CompletionSignals, openCompletionSignals } from './completion-signals.ts';

const WAIT_MS = 20_000;

let database: Awaited<ReturnType<typeof testDatabase>>;
let pool: pg.Pool;
let here: CompletionSignals;
let elsewhere: CompletionSignals;
beforeAll(async () => {
  database = await testDatabase();
  pool = openPool(database.url, 2);
  here = await openCompletionSignals(database.url, pool, testLog);
  elsewhere = await openCompletionSignals(database.url, pool, testLog);
});
afterAll(async () => {
  await here[Symbol.asyncDispose]();
  await elsewhere[Symbol.asyncDispose]();
  await pool.end();
  await database[Symbol.asyncDispose]();
});

describe('the end of a piece of work', () => {
  it('is announced to every waiting call, in this process and in others', async () => {
    const waiting = [here, elsewhere].map((completions) => completions.wait('work', WAIT_MS).ended);
    await here.announce('work', 'C1-P1');
    expect(await Promise.all(waiting)).toEqual(['C1-P1', 'C1-P1']);
  });

  it('is known in this process before the database is queried', async () => {
    const order: string[] = [];
    const heard = here.wait('quick', WAIT_MS).ended.then(() => order.push('heard'));
    const told = here.announce('quick', '').then(() => order.push('told'));
    await Promise.all([heard, told]);
    expect(order).toEqual(['heard', 'told']);
  });

  it('is announced once: a call that starts to wait later hears the next one', async () => {
    const told = elsewhere.wait('again', WAIT_MS).ended;
    const announced = here.announce('again', 'C1-P1');
    const next = here.wait('again', WAIT_MS);
    await announced;
    await told;
    await elsewhere.announce('again', 'C2-P2');
    expect(await next.ended).toBe('C2-P2');
  });
});
