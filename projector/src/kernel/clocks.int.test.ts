import { afterAll, afterEach, beforeAll, describe, expect, it, vi } from 'vitest';
import { ledgerProjection } from '../features/credits/ledger.projection.ts';
import { granted } from '../testing/ledger-history.ts';
import { openTestProjector, type TestProjector } from '../testing/test-projector.ts';

const HOUR_MS = 3_600_000;
const { name, tables } = ledgerProjection.model;

let projector: TestProjector;
beforeAll(async () => {
  projector = await openTestProjector();
});
afterEach(() => {
  vi.useRealTimers();
});
afterAll(() => projector[Symbol.asyncDispose]());

async function rows() {
  const all: Record<string, string[]> = {};
  for (const table of Object.keys(tables)) {
    const { rows: found } = await projector.admin.query<{ row: string }>(
      `select t::text as row from read_model.${table} t order by 1`,
    );
    all[table] = found.map(({ row }) => row);
  }
  return all;
}

async function project() {
  await using _running = projector.project([ledgerProjection]);
  await projector.caughtUp([ledgerProjection]);
}

/** Five events of an organization, recorded by clocks that differ by hours. */
async function grantFive() {
  const organizationId = projector.newOrganization();
  const now = Date.now();
  for (const [n, hours] of [0, -1, 1, -24, 0].entries()) {
    const at = new Date(now + hours * HOUR_MS).toISOString();
    await projector.append(organizationId, [{ event: granted(organizationId, n + 1), at }]);
  }
  await project();
  return organizationId;
}

describe('clocks that are wrong', () => {
  it('do not change the order, which follows positions', async () => {
    const organizationId = await grantFive();
    const entries = await projector.rows<{ amount: string; available: string }>(
      'ledger_entries',
      organizationId,
      'sequence',
    );
    expect(entries.map(({ amount }) => Number(amount))).toEqual([1, 2, 3, 4, 5]);
    expect(entries.map(({ available }) => Number(available))).toEqual([1, 3, 6, 10, 15]);
  });

  it('do not change a replay, which reads no clock', async () => {
    await grantFive();
    const before = await rows();
    expect(Object.values(before).flat().length).toBeGreaterThan(5);
    for (const hours of [-1, 1, 24 * 400]) {
      await projector.admin.query(
        `truncate ${Object.keys(tables)
          .map((table) => `read_model.${table}`)
          .join(', ')}`,
      );
      await projector.admin.query('delete from read_model.checkpoints where projection = $1', [
        name,
      ]);
      vi.useFakeTimers({ toFake: ['Date'], now: Date.now() + hours * HOUR_MS });
      await project();
      vi.useRealTimers();
      expect(await rows()).toEqual(before);
    }
  });
});
