import { isRefusal } from '@tallyhand/contracts/kernel/refusal';
import { afterAll, beforeAll, expect, it, vi } from 'vitest';
import { openTestKit, type TestKit, testContext } from '../../kit/testing/backends.ts';
import { emailStream } from './email.decider.ts';

let backends: TestKit;
beforeAll(async () => {
  backends = await openTestKit();
});
afterAll(() => backends[Symbol.asyncDispose]());

const email = 'ada@example.com';
const input = {
  email,
  username: 'Ada',
  password: 'correct horse battery',
  organizationName: 'Ada',
};

it('reads the stream of its address only; the reaction to it changes nothing once it is finished', async () => {
  const { kit, features } = backends.opened;
  const { registration } = features;
  const reads = vi.spyOn(kit.streams.eventLog, 'read');
  const context = { ...testContext(), actor: { kind: 'visitor' }, isFirst: true } as const;
  const registered = await registration.register(context, input);
  if (isRefusal(registered)) throw new Error(registered.code);
  const key = registration.emailKey(email);
  expect(reads.mock.calls.map(([stream]) => stream)).toEqual([`email-${key}`]);

  const { reservation } = await kit.streams.of(emailStream).known(key);
  if (!reservation) throw new Error('The address is not reserved');
  reads.mockClear();
  const appends = vi.spyOn(kit.streams.eventLog, 'append');
  await registration.finishIfOpen(testContext(), reservation);
  expect([reads.mock.calls, appends.mock.calls]).toEqual([[], []]);

  // Without its last step it is finished: all others are repeated, and change nothing.
  const table = 'operational.access';
  await backends.admin.query(`delete from ${table} where user_id = $1`, [registered.userId]);
  await registration.finishIfOpen(testContext(), reservation);
  const { rows } = await backends.admin.query(`select role from ${table} where user_id = $1`, [
    registered.userId,
  ]);
  expect([rows, appends.mock.calls]).toEqual([[{ role: 'Admin' }], []]);
});
