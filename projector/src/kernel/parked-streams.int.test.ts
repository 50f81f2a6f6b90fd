import type { OperatorRequest } from '@tallyhand/read-models/kernel/operating';
import type { Log } from '@tallyhand/service-kit/log';
import { askProjector } from '@tallyhand/stack/operator/rebuild-command';
import { afterAll, beforeAll, beforeEach, describe, expect, it, vi } from 'vitest';
import { ledgerProjection } from '../features/credits/ledger.projection.ts';
import { spendLimitsProjection } from '../features/credits/spend-limits.projection.ts';
import { granted } from '../testing/ledger-history.ts';
import { openTestProjector, type TestProjector } from '../testing/test-projector.ts';
import type { Projection } from './projection.ts';

const { name } = ledgerProjection.model;
/** No grant but the one that the projection can't take is of so many credits. */
const POISON = 666;

let projector: TestProjector;
let organizationId: string;
/** Whether the projection has its bug. */
let isBroken = true;
let tries = 0;
beforeAll(async () => {
  projector = await openTestProjector();
});
afterAll(() => projector[Symbol.asyncDispose]());
beforeEach(() => {
  organizationId = projector.newOrganization();
  isBroken = true;
  tries = 0;
});

/** Fails with this error wherever the poison is. */
const failingWith = (error: Error): Projection => ({
  ...ledgerProjection,
  async apply(tx, events, helpers) {
    const touched = await ledgerProjection.apply(tx, events, helpers);
    if (!isBroken || !events.some(({ data }) => data.amount === POISON)) return touched;
    tries += 1;
    throw error;
  },
});
const buggy = [failingWith(new TypeError('amount is too evil')), spendLimitsProjection];

const errors: string[] = [];
const log: Log = { info() {}, warn() {}, error: (message) => errors.push(message) };
const append = (...amounts: number[]) =>
  projector.append(
    organizationId,
    amounts.map((amount) => granted(organizationId, amount)),
  );
const ask = (request: OperatorRequest) => askProjector(projector.admin, request);

async function balance(of = organizationId): Promise<number | null> {
  const [row] = await projector.rows<{ posted: string }>('credit_balances', of, 'posted');
  return row ? Number(row.posted) : null;
}

async function parked() {
  const { rows } = await projector.admin.query<{ id: string; later: number; error: string }>(
    `select event_id as id, later_events::int as later, error, event_type as type, projection
     from read_model.parked_streams where stream = $1`,
    [`ledger-${organizationId}`],
  );
  return rows;
}

describe('an event that a projection cannot process', () => {
  it('parks its stream for that projection, and nothing else', async () => {
    await using _running = projector.project(buggy, log);
    errors.length = 0;
    const other = projector.newOrganization();
    await append(1, 2, POISON, 3);
    await projector.append(other, [granted(other, 5)]);
    await append(4);
    await projector.caughtUp(buggy);
    expect([await balance(), await balance(other)]).toEqual([3, 5]);
    expect(await parked()).toEqual([
      {
        id: expect.any(String),
        type: 'CreditsGranted',
        projection: name,
        later: 2,
        error: 'amount is too evil',
      },
    ]);
    expect(errors).toEqual(['a stream is parked: a projection failed on one of its events']);
    expect(tries).toBeGreaterThan(4);
  });

  it('is processed with everything after it once the fault is fixed', async () => {
    await using _running = projector.project(buggy, log);
    await append(1, POISON, 2);
    await projector.caughtUp(buggy);
    await append(...Array.from({ length: 600 }, () => 1));
    await projector.caughtUp(buggy);
    const [before] = await parked();
    const retry = { kind: 'retry-event', eventId: before?.id ?? '' } as const;
    const again = await ask(retry);
    expect(again).toEqual({
      isDone: false,
      message: `${name} still fails on ledger-${organizationId}.`,
    });
    expect(await parked()).toEqual([before]);
    expect(before?.later).toBe(601);
    isBroken = false;
    expect(await ask(retry)).toMatchObject({ isDone: true });
    await append(10);
    await projector.caughtUp(buggy);
    expect([await balance(), await parked()]).toEqual([1 + POISON + 2 + 600 + 10, []]);
    expect(await ask(retry)).toMatchObject({ isDone: false });
  });

  it('is skipped when an operator requests it, and processing stops at the next one', async () => {
    await using _running = projector.project(buggy, log);
    await append(1, POISON, 2, POISON, 3);
    await projector.caughtUp(buggy);
    const skip = async () => {
      const [{ id } = { id: '' }] = await parked();
      return ask({ kind: 'skip-event', eventId: id, reason: 'It never happened' });
    };
    expect(await skip()).toMatchObject({ isDone: false });
    expect(await balance()).toBe(3);
    expect(await parked()).toMatchObject([{ later: 1 }]);
    expect(await skip()).toMatchObject({ isDone: true });
    expect([await balance(), await parked()]).toEqual([6, []]);
    isBroken = false;
    await ask({ kind: 'rebuild', projections: [name], acceptsDifferences: false });
    await vi.waitFor(async () => {
      const { rows } = await projector.admin.query('select state from read_model.rebuilds');
      expect(rows).toEqual([{ state: 'done' }]);
    });
    // Still without the skipped event.
    expect(await balance()).toBe(6);
  });

  it('is forgotten by a rebuild that can take it', async () => {
    await using _running = projector.project(buggy, log);
    await append(1, POISON, 2);
    await projector.caughtUp(buggy);
    expect(await parked()).toHaveLength(1);
    isBroken = false;
    await ask({ kind: 'rebuild', projections: [name], acceptsDifferences: false });
    await vi.waitFor(async () => expect(await parked()).toEqual([]));
    expect(await balance()).toBe(3 + POISON);
  });

  it('blocks a projection that must not omit events until it is fixed', async () => {
    const whole = [{ ...buggy[0], isWhole: true } as Projection, spendLimitsProjection];
    await using _running = projector.project(whole, log);
    await append(1, POISON);
    await vi.waitFor(() => expect(tries).toBeGreaterThan(8));
    expect(await parked()).toEqual([]);
    isBroken = false;
    await projector.caughtUp(whole);
    expect(await balance()).toBe(1 + POISON);
  });

  it('is not to blame for a full disk: the batch waits', async () => {
    const full = Object.assign(new Error('No space left on device'), { code: '53100' });
    const failing = [failingWith(full), spendLimitsProjection];
    await using _running = projector.project(failing, log);
    await append(1, POISON);
    await vi.waitFor(() => expect(tries).toBeGreaterThan(2));
    expect(await parked()).toEqual([]);
    expect(await balance()).not.toBe(1 + POISON);
    isBroken = false;
    await projector.caughtUp(failing);
    expect(await balance()).toBe(1 + POISON);
  });
});
