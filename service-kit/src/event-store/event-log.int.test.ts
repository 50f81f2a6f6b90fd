import { randomUUID } from 'node:crypto';
import { testEventStore } from '@tallyhand/test-kit/backends';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { newId } from '../crypto/ids.ts';
import { instrumentMetrics } from '../metrics/instruments.ts';
import { type EventLog, openEventLog, RevisionConflict } from './event-log.ts';
import { comparePositions } from './position.ts';

let store: Awaited<ReturnType<typeof testEventStore>>;
let eventLog: EventLog;
beforeAll(async () => {
  store = await testEventStore();
  eventLog = openEventLog(store.url);
});
afterAll(async () => {
  await eventLog.close();
  await store[Symbol.asyncDispose]();
});

const envelope = {
  schemaVersion: 1,
  organizationId: null,
  actor: { kind: 'worker' as const },
  correlationId: 'correlation',
  causationId: null,
  commandId: newId(),
  recordedAt: '2026-11-21T08:00:00.000Z',
};
const happened = (data: object = {}) => ({ id: newId(), type: 'Happened', data, envelope });
const newStream = () => `test-${randomUUID()}`;

async function idsIn(stream: string, from = 0n): Promise<string[]> {
  const ids: string[] = [];
  for await (const { id } of eventLog.read(stream, from)) ids.push(id);
  return ids;
}

const samplesOf = (name: string) =>
  instrumentMetrics().find((metric) => metric.name === `tallyhand_event_store_${name}`)?.samples;
const appends = (outcome: string) =>
  samplesOf('append_duration_seconds')?.find(
    ({ suffix, labels }) => suffix === '_count' && labels?.outcome === outcome,
  )?.value ?? 0;
const events = () => samplesOf('appended_events_total')?.[0]?.value ?? 0;

describe('an append', () => {
  it('returns the position of the stream after it', async () => {
    const stream = newStream();
    const first = await eventLog.append(stream, [happened(), happened()], null);
    const second = await eventLog.append(stream, [happened()], first.revision);
    expect([first.revision, second.revision]).toEqual([1n, 2n]);
    expect(comparePositions(first.position, second.position)).toBe(-1);
    expect((await eventLog.last(stream))?.position).toEqual(second.position);
  });

  it('conflicts when another writer was first, and writes nothing', async () => {
    const stream = newStream();
    const ours = happened();
    await eventLog.append(stream, [ours], null);
    await expect(eventLog.append(stream, [happened()], null)).rejects.toThrow(RevisionConflict);
    await expect(eventLog.append(stream, [happened()], 5n)).rejects.toThrow(RevisionConflict);
    await expect(eventLog.append(newStream(), [happened()], 0n)).rejects.toThrow(RevisionConflict);
    expect(await idsIn(stream)).toEqual([ours.id]);
  });

  it('is measured by its outcome, and its events are counted', async () => {
    const before = { stored: appends('stored'), conflict: appends('conflict'), events: events() };
    const stream = newStream();
    await eventLog.append(stream, [happened(), happened()], null);
    await expect(eventLog.append(stream, [happened()], null)).rejects.toThrow(RevisionConflict);
    expect(appends('stored')).toBe(before.stored + 1);
    expect(appends('conflict')).toBe(before.conflict + 1);
    expect(events()).toBe(before.events + 2);
  });

  it('that is sent again, since its answer was lost, is recognized', async () => {
    const stream = newStream();
    const events = [happened(), happened()];
    const first = await eventLog.append(stream, events, null);
    await eventLog.append(stream, [happened()], first.revision);
    const again = await eventLog.append(stream, events, null);
    expect(again.revision).toBe(first.revision);
    expect(await idsIn(stream)).toHaveLength(3);
  });
});

describe('a read', () => {
  it('begins at the requested revision, and finds everything that was written', async () => {
    const stream = newStream();
    const event = happened({ text: 'Åsa 返品', list: [1, null, { a: true }] });
    const events = [happened(), event, happened()];
    await eventLog.append(stream, events, null);
    expect(await idsIn(stream, 1n)).toEqual(events.slice(1).map(({ id }) => id));
    expect(await idsIn(stream, 3n)).toEqual([]);
    for await (const stored of eventLog.read(stream, 1n)) {
      if (stored.id !== event.id) continue;
      expect(stored).toMatchObject({ stream, revision: 1n, type: 'Happened', envelope });
      expect(stored.data).toEqual(event.data);
    }
  });

  it('of a stream that does not exist finds nothing', async () => {
    expect(await idsIn(newStream())).toEqual([]);
    expect(await eventLog.last(newStream())).toBeNull();
  });

  it.each([1, 2, 200])('that is abandoned after %i events does not prevent closing', async (n) => {
    const own = openEventLog(store.url);
    const stream = newStream();
    const events = Array.from({ length: n }, () => happened({ text: 'x'.repeat(2_000) }));
    await own.append(stream, events, null);
    for await (const stored of own.read(stream, 0n)) {
      expect(stored.id).toBe(events[0]?.id);
      break;
    }
    const failing = async () => {
      for await (const { id, type } of own.read(stream, 0n)) {
        if (id === events.at(-1)?.id) throw new Error(`${type} is unknown`);
      }
    };
    await expect(failing()).rejects.toThrow('Happened is unknown');
    await own.close();
  });
});
