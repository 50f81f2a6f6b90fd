import { reportedRuns } from '@tallyhand/test-kit/cases';
import fc from 'fast-check';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { ledgerProjection } from '../features/credits/ledger.projection.ts';
import { charged, granted } from '../testing/ledger-history.ts';
import { openTestProjector, type TestProjector } from '../testing/test-projector.ts';

const LEDGERS = 3;
const EVENTS_EACH = 7;
const { tables } = ledgerProjection.model;

let projector: TestProjector;
beforeAll(async () => {
  projector = await openTestProjector();
});
afterAll(() => projector[Symbol.asyncDispose]());

/** The events of one ledger, always with the same ids but for the organization's. */
function historyOf(organizationId: string, ledger: number) {
  const id = (n: number) => `0190b5a0-0000-7000-8000-0000000${ledger}00${n}0`;
  const grant = { ...granted(organizationId, 5 + ledger) };
  const fixed = { ...grant, data: { ...grant.data, grantId: id(9) } };
  return [fixed, ...[1, 2, 3].flatMap((n) => charged(organizationId, id(n)))] as (typeof grant)[];
}

/** The rows without positions and ids. */
async function rowsOf(organizationId: string) {
  const all: Record<string, string[]> = {};
  for (const table of Object.keys(tables)) {
    const { rows } = await projector.admin.query<{ row: string }>(
      `select (to_jsonb(t) - '{at,entry_id,hash,prev}'::text[])::text as row
       from read_model.${table} t where organization_id = $1 order by 1`,
      [organizationId],
    );
    all[table] = rows.map(({ row }) => row.replaceAll(organizationId, 'organization'));
  }
  return all;
}

/** Appends the events of new ledgers, with `order` as the order of ledgers; returns their rows. */
async function rowsAfter(order: readonly number[]) {
  const ids = Array.from({ length: LEDGERS }, () => projector.newOrganization());
  const left = ids.map((id, ledger) => historyOf(id, ledger));
  await using _running = projector.project([ledgerProjection]);
  for (const ledger of order) {
    const next = left[ledger]?.shift();
    if (next) await projector.append(ids[ledger] ?? '', [next]);
  }
  await projector.caughtUp([ledgerProjection]);
  return Promise.all(ids.map(rowsOf));
}

describe('events of several streams', () => {
  it('make the same rows in any order of the streams', async () => {
    const turns = Array.from({ length: LEDGERS * EVENTS_EACH }, (_, n) =>
      Math.floor(n / EVENTS_EACH),
    );
    const expected = await rowsAfter(turns);
    expect(expected.every((rows) => Object.values(rows).flat().length > EVENTS_EACH)).toBe(true);
    const anyOrder = fc.shuffledSubarray(turns, { minLength: turns.length });
    await fc.assert(
      fc.asyncProperty(anyOrder, async (order) => {
        expect(await rowsAfter(order)).toEqual(expected);
      }),
      reportedRuns(3, 60),
    );
  }, 600_000);
});
