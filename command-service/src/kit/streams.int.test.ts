import { randomUUID } from 'node:crypto';
import { isRefusal } from '@tallyhand/contracts/kernel/refusal';
import { newId } from '@tallyhand/service-kit/crypto/ids';
import type { EventLog } from '@tallyhand/service-kit/event-store/event-log';
import { comparePositions, START } from '@tallyhand/service-kit/event-store/position';
import { afterAll, beforeAll, describe, expect, it, vi } from 'vitest';
import type { CommandContext } from './context.ts';
import { postgresSnapshots } from './stored-states.ts';
import { openTestKit, type TestKit, testContext } from './testing/backends.ts';
import { COUNTER_MAX, type CounterCommand } from './testing/counter.decider.ts';
import { add, streamInstance } from './testing/stream-instance.ts';

let kit: TestKit;
beforeAll(async () => {
  kit = await openTestKit();
});
afterAll(() => kit[Symbol.asyncDispose]());

const empty: CounterCommand = { type: 'Empty', data: {} };
const steps = (count: number, of = '') => Array.from({ length: count }, (_, i) => `${of}${i}`);

const instance = (snapshotVersion?: number, atRestEvents?: number, finalTotal?: number) =>
  streamInstance(kit, { snapshotVersion, atRestEvents, finalTotal });

async function storedSteps(eventLog: EventLog, id: string): Promise<unknown[]> {
  const found: unknown[] = [];
  for await (const { data } of eventLog.read(`counter-${id}`, 0n)) found.push(data.step);
  return found;
}

describe('commands that wait for one stream', () => {
  it('share appends, and keep their order', async () => {
    await using one = instance();
    const id = randomUUID();
    const answers = await Promise.all(steps(100).map((step) => one.send(id, add(step))));
    expect(answers.filter(isRefusal)).toEqual([]);
    expect(await storedSteps(one.eventLog, id)).toEqual(steps(100));
    // The first goes alone; all that came meanwhile go together.
    expect(one.appends).toEqual([1, 99]);
  });

  it('are decided one after the other, each on the result of the previous one', async () => {
    await using one = instance();
    const id = randomUUID();
    const answers = await Promise.all(
      steps(30).map((step) => one.send(id, add(step, COUNTER_MAX / 20))),
    );
    expect(answers.map(isRefusal)).toEqual(steps(30).map((_, i) => i >= 20));
    expect((await one.load(id)).total).toBe(COUNTER_MAX);
  });

  it('are spread over several appends when one would be too large for the store', async () => {
    await using one = instance();
    const id = randomUUID();
    const note = 'é'.repeat(50_000);
    const answers = await Promise.all(steps(40).map((step) => one.send(id, add(step, 1, note))));
    expect(answers.filter(isRefusal)).toEqual([]);
    expect(await storedSteps(one.eventLog, id)).toEqual(steps(40));
  });

  it('return the position of each append, so that the caller can wait for it', async () => {
    await using one = instance();
    const id = randomUUID();
    const answer = await one.send(id, add('a'));
    if (isRefusal(answer)) expect.fail(answer.detail);
    const last = await one.eventLog.last(`counter-${id}`);
    expect(one.positions).toEqual([answer.position]);
    expect(last && comparePositions(last.position, answer.position)).toBe(0);
  });

  it('of which one changes nothing cause no append', async () => {
    await using one = instance();
    const id = randomUUID();
    await one.send(id, add('a'));
    const again = await one.send(id, add('a'));
    expect(again).toMatchObject({ kind: 'accepted', events: [] });
    expect(one.appends).toEqual([1]);
  });
});

describe('commands that are sent together', () => {
  it('are decided in their order and appended in one write', async () => {
    await using one = instance();
    const id = randomUUID();
    const answers = await one.sendAll(id, [add('a', COUNTER_MAX), add('b'), empty]);
    expect(answers).toMatchObject([
      { kind: 'accepted', events: [{ data: { step: 'a' } }] },
      { code: 'full' },
      { kind: 'accepted', events: [{ type: 'Emptied' }] },
    ]);
    expect(one.appends).toEqual([2]);
  });
});

describe('a command that creates a stream under a new id', () => {
  const first = (): CommandContext => ({ ...testContext(), isFirst: true });

  it('is appended with nothing read before', async () => {
    await using one = instance();
    const id = randomUUID();
    expect(await one.send(id, add('a'), first())).toMatchObject({ kind: 'accepted' });
    expect(one.readsFrom).toEqual([]);
    expect((await one.load(id)).total).toBe(1);
  });

  it('is decided on the existing stream if there is one after all', async () => {
    await using one = instance();
    await using two = instance();
    const id = randomUUID();
    await one.send(id, add('a', COUNTER_MAX));
    expect(await two.send(id, add('b'), first())).toMatchObject({ code: 'full' });
    expect(await two.send(id, add('a'), first())).toMatchObject({ events: [] });
    expect(await storedSteps(one.eventLog, id)).toEqual(['a']);
  });

  it('is refused only after reading the stream, when it would change nothing', async () => {
    await using one = instance();
    await using two = instance();
    const id = randomUUID();
    await one.send(id, add('a', COUNTER_MAX - 1));
    const tooMuch = add('b', COUNTER_MAX + 1);
    expect(await two.send(id, tooMuch, first())).toMatchObject({
      code: 'full',
      detail: `The counter stands at ${COUNTER_MAX - 1}.`,
    });
  });

  it('reads first where others may have sent it', async () => {
    await using one = instance();
    await one.send(randomUUID(), add('a'));
    await one.send(randomUUID(), empty, first());
    expect(one.readsFrom).toEqual([0n, 0n]);
  });
});

describe('a state that may be as it was at a position', () => {
  it('is not read again when it was read recently', async () => {
    await using one = instance();
    const [id, other] = [randomUUID(), randomUUID()];
    await one.send(other, add('before'));
    const seen = one.positions.at(-1);
    await one.send(id, add('a'));
    const reads = one.readsFrom.length;
    expect((await one.load(id, seen)).total).toBe(1);
    expect(one.readsFrom).toHaveLength(reads);
  });

  it('includes what another instance wrote up to there', async () => {
    await using one = instance();
    await using two = instance();
    const id = randomUUID();
    await one.send(id, add('a'));
    await two.send(id, add('b'));
    expect((await one.load(id, two.positions.at(-1))).total).toBe(2);
  });

  it('is not read again while its stream is known to be unchanged since it was read', async () => {
    await using one = instance();
    await using two = instance();
    const id = randomUUID();
    one.known.mark = 4;
    await one.send(id, add('a'));
    await two.send(randomUUID(), add('b'));
    const since = two.positions.at(-1) ?? START;
    one.known.unchangedTo = (mark) => (mark === 4 ? since : START);
    one.known.mark = 5;
    const reads = one.readsFrom.length;
    expect((await one.load(id, since)).total).toBe(1);
    expect(one.readsFrom).toHaveLength(reads);
    // It has changed since, in whatever way.
    one.known.unchangedTo = (mark) => (mark === 5 ? since : START);
    await two.send(id, add('c'));
    expect((await one.load(id, since)).total).toBe(2);
    expect((await one.load(id, since)).total).toBe(2);
    expect(one.readsFrom).toHaveLength(reads + 1);
  });
});

describe('two instances on one stream', () => {
  it('lose nothing and do nothing twice', async () => {
    await using one = instance();
    await using two = instance();
    const id = randomUUID();
    const inTurn = async (at: typeof one, of: string) => {
      for (const step of steps(40, of)) expect(isRefusal(await at.send(id, add(step)))).toBe(false);
    };
    await Promise.all([inTurn(one, 'a'), inTurn(two, 'b'), inTurn(one, 'c'), inTurn(two, 'd')]);
    const stored = await storedSteps(one.eventLog, id);
    expect(stored).toHaveLength(160);
    expect(new Set(stored)).toEqual(new Set(['a', 'b', 'c', 'd'].flatMap((of) => steps(40, of))));
    expect((await one.load(id)).total).toBe(160);
    expect((await two.load(id)).total).toBe(160);
  });

  it('decide again, on the real state, when the other was first', async () => {
    await using one = instance();
    await using two = instance();
    const id = randomUUID();
    await one.send(id, add('a'));
    await two.send(id, add('b'));
    expect(await one.send(id, add('c'))).toMatchObject({ events: [{ type: 'Added' }] });
    expect(await storedSteps(one.eventLog, id)).toEqual(['a', 'b', 'c']);
    await two.send(id, add('rest', COUNTER_MAX - 3));
    expect(await one.send(id, add('d'))).toMatchObject({ code: 'full' });
    expect(await one.load(id)).toEqual({ total: COUNTER_MAX, steps: ['a', 'b', 'c', 'rest'] });
  });

  it('decide once about a command that arrives at both', async () => {
    await using one = instance();
    await using two = instance();
    const id = randomUUID();
    await Promise.all(steps(20).flatMap((s) => [one.send(id, add(s)), two.send(id, add(s))]));
    expect((await storedSteps(one.eventLog, id)).toSorted()).toEqual(steps(20).toSorted());
  });

  it('refuse only after reading what the other wrote', async () => {
    await using one = instance();
    await using two = instance();
    const id = randomUUID();
    await one.send(id, add('all', COUNTER_MAX));
    expect(await one.send(id, add('more'))).toMatchObject({ code: 'full' });
    await two.send(id, empty);
    expect(await one.send(id, add('more'))).toMatchObject({ kind: 'accepted' });
  });

  it('see in a read what the other wrote', async () => {
    await using one = instance();
    await using two = instance();
    const id = randomUUID();
    expect((await one.load(id)).total).toBe(0);
    await two.send(id, add('a', 7));
    expect((await one.load(id)).total).toBe(7);
  });
});

describe('reads', () => {
  it('that wait for the same stream share one, and see all that was stored before', async () => {
    await using one = instance();
    await using two = instance();
    const id = randomUUID();
    await one.send(id, add('a'));
    void one.load(id);
    await two.send(id, add('b'));
    const later = steps(20).map(() => one.load(id));
    expect((await Promise.all(later)).map(({ total }) => total)).toEqual(steps(20).map(() => 2));
    expect(one.readsFrom.length).toBeLessThanOrEqual(4);
  });

  it('take turns with commands, and never see a state that is not stored', async () => {
    await using one = instance();
    const id = randomUUID();
    await one.send(id, add('a', COUNTER_MAX - 1));
    const tooLarge = add('b', 1, 'x'.repeat(2 * 1024 * 1024));
    const ended = await Promise.allSettled([one.send(id, tooLarge), one.load(id)]);
    expect(ended).toMatchObject([{ status: 'rejected' }, { value: { total: COUNTER_MAX - 1 } }]);
  });
});

describe('a stream that nothing can follow', () => {
  it('is not read again', async () => {
    const id = randomUUID();
    await using one = instance(1, undefined, 2);
    await one.send(id, add('0'));
    await one.load(id);
    const before = one.readsFrom.length;
    await one.send(id, add('1'));
    expect((await one.load(id)).total).toBe(2);
    expect(one.readsFrom).toHaveLength(before);
  });
});

describe('a snapshot', () => {
  const savedRevision = async (id: string, revision: bigint) =>
    vi.waitFor(async () => {
      const saved = await postgresSnapshots(kit.opened.kit.pool).load(`counter-${id}`, 1);
      expect(saved?.revision).toBe(revision);
    });

  it('lets a cold start pass over the events before it', async () => {
    const id = randomUUID();
    {
      await using one = instance();
      for (const step of steps(13)) await one.send(id, add(step));
      await savedRevision(id, 9n);
    }
    await using cold = instance();
    expect(await cold.load(id)).toEqual({ total: 13, steps: steps(13) });
    expect(cold.readsFrom).toEqual([10n]);
    expect(await cold.send(id, add('0'))).toMatchObject({ events: [] });
    expect(await cold.send(id, add('13'))).toMatchObject({ kind: 'accepted', events: [{}] });
  });

  it('is taken early of an idle stream', async () => {
    await using one = instance(1, 3);
    const [resting, young] = [randomUUID(), randomUUID()];
    for (const step of steps(2)) await one.send(young, add(step));
    for (const step of steps(4)) await one.send(resting, add(step));
    await savedRevision(resting, 3n);
    await using cold = instance();
    expect(await cold.load(resting)).toEqual({ total: 4, steps: steps(4) });
    expect((await cold.load(young)).total).toBe(2);
    expect(cold.readsFrom).toEqual([4n, 0n]);
  });

  it('of another version is left aside', async () => {
    const id = randomUUID();
    await using one = instance();
    for (const step of steps(10)) await one.send(id, add(step));
    await savedRevision(id, 9n);
    await using next = instance(2);
    expect((await next.load(id)).total).toBe(10);
    expect(next.readsFrom).toEqual([0n]);
  });
});

describe('an event that the decider does not know', () => {
  it('stops its stream, even with a cached state, and no other', async () => {
    await using one = instance();
    const id = randomUUID();
    await one.send(id, add('a'));
    const { organizationId, actor, correlationId, causationId, commandId, now } = testContext();
    const recordedAt = now.toISOString();
    const ids = { organizationId, actor, correlationId, causationId, commandId };
    const envelope = { schemaVersion: 1, ...ids, recordedAt };
    const newer = { id: newId(), type: 'Multiplied', data: { by: 2 }, envelope };
    await one.eventLog.append(`counter-${id}`, [newer], 0n);

    await expect(one.send(id, add('b'))).rejects.toThrow('no events of type Multiplied');
    await expect(one.load(id)).rejects.toThrow('no events of type Multiplied');
    expect((await one.eventLog.last(`counter-${id}`))?.revision).toBe(1n);
    expect(await one.send(randomUUID(), add('b'))).toMatchObject({ kind: 'accepted' });
  });
});

describe('an append that fails', () => {
  const tooLarge = 'x'.repeat(2 * 1024 * 1024);

  it('rejects its command, and the next one finds the stored state', async () => {
    await using one = instance();
    const id = randomUUID();
    await one.send(id, add('a'));
    await expect(one.send(id, add('b', COUNTER_MAX - 1, tooLarge))).rejects.toThrow();
    expect(await one.load(id)).toEqual({ total: 1, steps: ['a'] });
    expect(await one.send(id, add('b', COUNTER_MAX - 1))).toMatchObject({ kind: 'accepted' });
    expect(await storedSteps(one.eventLog, id)).toEqual(['a', 'b']);
  });

  it('lets the commands behind it continue', async () => {
    await using one = instance();
    const id = randomUUID();
    const failing = one.send(id, add('a', 1, tooLarge));
    const behind = one.send(id, add('b'));
    await expect(failing).rejects.toThrow();
    expect(await behind).toMatchObject({ kind: 'accepted' });
    expect((await one.load(id)).total).toBe(1);
  });
});
