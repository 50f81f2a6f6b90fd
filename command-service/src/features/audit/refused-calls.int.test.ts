import { NotFound } from '@tallyhand/contracts/kernel/problem';
import { newId } from '@tallyhand/service-kit/crypto/ids';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { openTestKit, type TestKit, testContext } from '../../kit/testing/backends.ts';
import { EVENTS_A_MINUTE_MAX } from './audit.decider.ts';
import { RefusedCalls } from './refused-calls.ts';

let backends: TestKit;

beforeAll(async () => {
  backends = await openTestKit();
});
afterAll(() => backends[Symbol.asyncDispose]());

const kit = () => backends.opened.kit;

async function recordedIn(stream: string) {
  const found = [];
  for await (const stored of kit().streams.eventLog.read(`audit-${stream}`, 0n)) {
    found.push(stored);
  }
  return found;
}

const callBy = (organizationId: string | null, memberId = newId()) => ({
  call: 'confirmPurchase',
  refusal: NotFound({ what: 'payment' }),
  context: {
    ...testContext(),
    organizationId,
    actor: { kind: 'member', id: memberId },
  },
});

describe('refused calls', () => {
  it('are recorded at once, with the caller and the subject', async () => {
    await using calls = new RefusedCalls(kit());
    const organizationId = newId();
    const memberId = newId();
    calls.record({ ...callBy(organizationId, memberId), about: { paymentId: 'p' } });
    await expect.poll(() => recordedIn(organizationId)).toHaveLength(1);
    const [event] = await recordedIn(organizationId);
    expect(event).toMatchObject({
      type: 'CallRefused',
      data: {
        organizationId,
        call: 'confirmPurchase',
        code: 'not-found',
        params: { what: 'payment', paymentId: 'p' },
        count: 1,
      },
      envelope: { organizationId, actor: { kind: 'member', id: memberId } },
    });
  });

  it('of one kind within a minute make two events, and none is forgotten', async () => {
    const organizationId = newId();
    const call = callBy(organizationId);
    {
      await using calls = new RefusedCalls(kit());
      for (let i = 0; i < 500; i += 1) calls.record(call);
    }
    const counts = (await recordedIn(organizationId)).map(({ data }) => data.count);
    expect(counts).toHaveLength(2);
    expect(counts.toSorted()).toEqual([1, 499]);
  });

  it('of many callers make at most the limit of events per minute', async () => {
    const organizationId = newId();
    // Two minutes at most, should one of them end just now.
    {
      await using calls = new RefusedCalls(kit());
      for (let i = 0; i < 5 * EVENTS_A_MINUTE_MAX; i += 1) calls.record(callBy(organizationId));
    }
    const { length } = await recordedIn(organizationId);
    expect(length).toBeGreaterThanOrEqual(EVENTS_A_MINUTE_MAX);
    expect(length).toBeLessThanOrEqual(2 * EVENTS_A_MINUTE_MAX);
  });

  it("that belong to no organization are recorded for the platform, with the caller's text truncated", async () => {
    const about = { text: 'x'.repeat(100_000) };
    {
      await using calls = new RefusedCalls(kit());
      calls.record({ ...callBy(null), about });
    }
    const [event] = await recordedIn('platform');
    expect(event?.data).toMatchObject({ organizationId: null, params: { text: 'x'.repeat(200) } });
  });

  it('hold text that can be stored, wherever a character was cut', async () => {
    const organizationId = newId();
    const about = { even: '😀'.repeat(200), odd: `x${'😀'.repeat(200)}` };
    {
      await using calls = new RefusedCalls(kit());
      calls.record({ ...callBy(organizationId), about });
    }
    const [event] = await recordedIn(organizationId);
    expect(event?.data).toMatchObject({
      params: { even: '😀'.repeat(100), odd: `x${'😀'.repeat(99)}\ufffd` },
    });
  });
});
