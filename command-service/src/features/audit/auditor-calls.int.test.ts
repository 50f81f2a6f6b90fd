import { newId } from '@tallyhand/service-kit/crypto/ids';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { openTestKit, type TestKit, testContext } from '../../kit/testing/backends.ts';
import { observerOf } from './audit.routes.ts';
import { AuditorCalls } from './auditor-calls.ts';

let backends: TestKit;

beforeAll(async () => {
  backends = await openTestKit();
});
afterAll(() => backends[Symbol.asyncDispose]());

const kit = () => backends.opened.kit;

async function recordedIn(organizationId: string) {
  const found = [];
  for await (const { data } of kit().streams.eventLog.read(`audit-${organizationId}`, 0n)) {
    found.push(data);
  }
  return found;
}

const callBy = (organizationId: string, id: string, params: Record<string, string> = {}) => ({
  call: 'listAuditEntries',
  params,
  context: { ...testContext(), organizationId, actor: { kind: 'member', id } as const },
});

describe('calls of Auditors', () => {
  it('are in the event store before they are answered', async () => {
    await using calls = new AuditorCalls(kit());
    const organizationId = newId();
    await calls.record(callBy(organizationId, newId(), { q: 'harbour' }));
    expect(await recordedIn(organizationId)).toEqual([
      { organizationId, call: 'listAuditEntries', params: { q: 'harbour' }, count: 1 },
    ]);
  });

  it('share an event if they are repeated, also at once', async () => {
    const organizationId = newId();
    const auditor = newId();
    {
      await using calls = new AuditorCalls(kit());
      await Promise.all(
        Array.from({ length: 50 }, () => calls.record(callBy(organizationId, auditor))),
      );
    }
    const counts = (await recordedIn(organizationId)).map(({ count }) => Number(count));
    expect(counts.length).toBeLessThanOrEqual(2);
    expect(counts.reduce((sum, count) => sum + count, 0)).toBe(50);
  });

  it('never flood the store: many different ones share an event without filters', async () => {
    const organizationId = newId();
    const auditor = newId();
    {
      await using calls = new AuditorCalls(kit());
      for (let i = 0; i < 300; i += 1) {
        await calls.record(callBy(organizationId, auditor, { object: `object ${i}` }));
      }
      const other = callBy(organizationId, auditor, { id: 'agent' });
      await calls.record({ ...other, call: 'getAgentHistory' });
    }
    const events = await recordedIn(organizationId);
    expect(events.length).toBeLessThanOrEqual(103);
    const sum = events.reduce((total, { count }) => total + Number(count), 0);
    expect(sum).toBe(301);
    const histories = events.filter(({ call }) => call === 'getAgentHistory');
    expect(histories.map(({ params }) => params)).toEqual([{ id: 'agent' }]);
  });

  it('are kept apart by Auditor, and long texts are cut', async () => {
    await using calls = new AuditorCalls(kit());
    const organizationId = newId();
    for (let i = 0; i < 2; i += 1) {
      await calls.record(callBy(organizationId, newId(), { q: 'x'.repeat(1_000) }));
    }
    const events = await recordedIn(organizationId);
    expect(events.map(({ params }) => params)).toEqual(Array(2).fill({ q: 'x'.repeat(200) }));
  });

  it('are refused when the sign-in ended while they were answered', async () => {
    const observed = observerOf(kit())({
      kind: 'auditor-read',
      call: 'listAuditEntries',
      params: {},
      credentialId: newId(),
      isKey: false,
      address: '127.0.0.1',
      correlationId: newId(),
    });
    await expect(observed).rejects.toThrow('has ended');
  });
});
