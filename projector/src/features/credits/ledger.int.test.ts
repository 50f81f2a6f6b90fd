import {
  CreditsRefunded,
  type LedgerEvent,
  SpendLimitSet,
} from '@tallyhand/contracts/features/credits/credits.events';
import type { Log } from '@tallyhand/service-kit/log';
import fc from 'fast-check';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import {
  agentId,
  anyHistory,
  charged,
  granted,
  memberId,
  termsOf,
} from '../../testing/ledger-history.ts';
import { openTestProjector, type TestProjector } from '../../testing/test-projector.ts';
import { ledgerProjection } from './ledger.projection.ts';
import { spendLimitsProjection } from './spend-limits.projection.ts';

const projections = [ledgerProjection, spendLimitsProjection];
const tables = projections.flatMap(({ model }) => Object.keys(model.tables));

let test: TestProjector;
beforeAll(async () => {
  test = await openTestProjector();
});
afterAll(() => test[Symbol.asyncDispose]());

/** Projects up to the newest event; returns what was logged meanwhile. */
async function projected(): Promise<string[]> {
  const logged: string[] = [];
  const note = (message: string, fields?: object) =>
    logged.push(`${message} ${JSON.stringify(fields)}`);
  const log: Log = { info: () => {}, warn: note, error: note };
  await using _running = test.project(projections, log);
  await test.caughtUp(projections);
  return logged;
}

/** Rebuilds all rows from the first event on. */
async function rebuilt() {
  await test.admin.query('delete from read_model.checkpoints');
  await projected();
}

const differencesOf = async (organizationId: string) =>
  (
    await test.rows<{ kind: string; sequence: string }>('ledger_checks', organizationId, 'kind')
  ).map(({ kind, sequence }) => [kind, Number(sequence)]);

async function countOfDifferences(): Promise<number> {
  const { rows } = await test.admin.query<{ differences: string }>(
    'select differences from read_model.check_differences()',
  );
  return Number(rows[0]?.differences ?? 0);
}

/** All rows of the ledgers' tables as text, whatever their order. */
async function allRows(): Promise<string[]> {
  const found = await Promise.all(
    tables.map(async (table) => {
      const { rows } = await test.admin.query<{ row: string }>(
        `select t::text as row from read_model.${table} t`,
      );
      return rows.map(({ row }) => `${table} ${row}`).toSorted();
    }),
  );
  return found.flat();
}

/**
 * The available credits of an organization, by the statement, by the balances and by double entry.
 */
async function balancesOf(organizationId: string) {
  const entries = await test.rows<{ available: string }>(
    'ledger_entries',
    organizationId,
    'sequence desc limit 1',
  );
  const [balance] = await test.rows<{ posted: string; reserved: string }>(
    'credit_balances',
    organizationId,
    'posted',
  );
  const { rows: accounts } = await test.admin.query<{ account: string; sum: string }>(
    `select account, sum(credit - debit) from read_model.journal
     where organization_id = $1 group by account`,
    [organizationId],
  );
  const ofAccount = (name: string) => Number(accounts.find((a) => a.account === name)?.sum ?? 0);
  return {
    statement: Number(entries[0]?.available),
    balance: Number(balance?.posted) - Number(balance?.reserved),
    doubleEntry: ofAccount('available'),
    inTotal: accounts.reduce((total, { sum }) => total + Number(sum), 0),
  };
}

/** The totals of a history, added up by hand. */
function availableAfter(events: readonly LedgerEvent[]): number {
  const available = { CreditsGranted: 1, CreditsPurchased: 1, CreditsReserved: -1 };
  const more = { ReservationReleased: 1, ReservationExpired: 1, CreditsRefunded: 1 };
  const rest = { PaymentReversed: -1, PaymentReinstated: 1, AdjustmentPosted: 1 };
  const signs: Readonly<Record<string, number>> = { ...available, ...more, ...rest };
  return events.reduce(
    (sum, { type, data }) => sum + (signs[type] ?? 0) * ('amount' in data ? data.amount : 0),
    0,
  );
}

describe('ledgers as rows', () => {
  it('agree with their events by statement, balance and double entry, whatever happened', async () => {
    const seed = Math.floor(Math.random() * 2 ** 31);
    const histories = new Map<string, LedgerEvent[]>();
    for (let index = 0; index < 12; index += 1) {
      const organizationId = test.newOrganization();
      const [events = []] = fc.sample(anyHistory(organizationId, 200), {
        numRuns: 1,
        seed: seed + index,
      });
      histories.set(organizationId, events);
      await test.append(organizationId, events);
    }
    expect([seed, await projected()]).toEqual([seed, []]);
    for (const [organizationId, events] of histories) {
      const expected = availableAfter(events);
      expect([seed, await balancesOf(organizationId)]).toEqual([
        seed,
        { statement: expected, balance: expected, doubleEntry: expected, inTotal: 0 },
      ]);
      expect(await differencesOf(organizationId)).toEqual([]);
    }
  });

  it('are the same after a rebuild, even for a tampered ledger', async () => {
    const organizationId = test.newOrganization();
    await test.append(organizationId, [granted(organizationId, 10)], (event) => ({
      ...event,
      data: { ...granted(organizationId, 10).data, amount: 11 },
    }));
    await test.append(organizationId, charged(organizationId, test.newOrganization()));
    await projected();
    const [before, differences] = [await allRows(), await countOfDifferences()];
    expect(differences).toBeGreaterThan(0);
    await rebuilt();
    const after = await allRows();
    expect(after.filter((row) => !before.includes(row))).toEqual([]);
    expect(after).toHaveLength(before.length);
    expect(await countOfDifferences()).toBe(differences);
  });
});

describe('usage', () => {
  it('add up to the charges minus refunds, whatever the work', async () => {
    const seed = Math.floor(Math.random() * 2 ** 31);
    const organizationId = test.newOrganization();
    const [events = []] = fc.sample(anyHistory(organizationId, 200), { numRuns: 1, seed });
    await test.append(organizationId, events);
    await projected();
    const counted = await test.rows<{ credits: string }>('usage_daily', organizationId, 'day');
    const { rows } = await test.admin.query<{ credits: string }>(
      `select coalesce(sum(credits - debits), 0) as credits from read_model.account_balances
       where organization_id = $1 and account = 'usage'`,
      [organizationId],
    );
    const total = counted.reduce((sum, { credits }) => sum + Number(credits), 0);
    expect([seed, total]).toEqual([seed, Number(rows[0]?.credits)]);
    const byAgent = await test.rows<{ credits: string }>('agent_usage', organizationId, 'agent_id');
    const totalOfAgents = byAgent.reduce((sum, { credits }) => sum + Number(credits), 0);
    expect([seed, totalOfAgents]).toEqual([seed, total]);
  });

  const used = async (organizationId: string) =>
    (
      await test.rows<{ agent_id: string; credits: string; count: string; day: Date }>(
        'usage_daily',
        organizationId,
        'day',
      )
    ).map(({ day, credits, count }) => [day.getDate(), Number(credits), Number(count)]);

  it('counts charges by their day in UTC, and subtracts refunds on that day', async () => {
    const organizationId = test.newOrganization();
    const [late, early] = [test.newOrganization(), test.newOrganization()];
    const on = (at: string) => (event: LedgerEvent) => ({ event, at });
    await test.append(organizationId, [
      ...[granted(organizationId, 10)].map(on('2026-11-01T00:00:00.000Z')),
      ...charged(organizationId, late, 2).map(on('2026-11-02T23:59:59.999Z')),
      ...charged(organizationId, early, 3).map(on('2026-11-03T00:30:00.000+01:00')),
      ...charged(organizationId, test.newOrganization()).map(on('2026-11-03T00:00:00.000Z')),
    ]);
    await projected();
    expect(await used(organizationId)).toEqual([
      [2, 5, 2],
      [3, 1, 1],
    ]);
    const decided = { reason: 'Goodwill', approver: 'Ada' };
    await test.append(
      organizationId,
      [CreditsRefunded({ ...termsOf(organizationId, early, 3), ...decided })].map(
        on('2026-12-24T12:00:00.000Z'),
      ),
    );
    await projected();
    expect(await used(organizationId)).toEqual([
      [2, 2, 1],
      [3, 1, 1],
    ]);
  });
});

describe('spend limits', () => {
  it('are the newest, and none if the limit was removed', async () => {
    const organizationId = test.newOrganization();
    const set = (kind: 'agent' | 'member', monthlyCredits: number | null) =>
      SpendLimitSet({
        organizationId,
        setBy: memberId,
        monthlyCredits,
        scope: { kind, id: kind === 'agent' ? agentId : memberId },
      });
    await test.append(organizationId, [
      set('agent', 10),
      set('member', 5),
      set('agent', 20),
      set('member', null),
    ]);
    await projected();
    expect(await test.rows('spend_limits', organizationId, 'scope_kind')).toMatchObject([
      { scope_kind: 'agent', scope_id: agentId, monthly_credits: '20' },
    ]);
  });
});

describe('a difference', () => {
  it('in a stored event is recorded, reported once, and stops nothing', async () => {
    const organizationId = test.newOrganization();
    const before = await countOfDifferences();
    await test.append(organizationId, [granted(organizationId, 10)]);
    const forged = charged(organizationId, test.newOrganization());
    await test.append(organizationId, forged, (event) =>
      event.type === 'CreditsCharged'
        ? { ...event, data: { ...(event.data as object), amount: 9 } }
        : event,
    );
    const logged = await projected();
    expect(logged.filter((line) => line.includes(organizationId))).toHaveLength(1);
    expect(await differencesOf(organizationId)).toEqual([['chain', 3]]);
    await test.append(organizationId, [granted(organizationId, 5)]);
    expect(await projected()).toEqual([]);
    expect(await differencesOf(organizationId)).toEqual([['chain', 3]]);
    expect(await countOfDifferences()).toBe(before + 1);
  });

  const tampered: [string, string, string[]][] = [
    [
      'a balance',
      'update read_model.credit_balances set posted = posted + 1',
      ['available-account', 'statement'],
    ],
    [
      'an account',
      `update read_model.account_balances set debits = debits + 1
      where account = 'available'`,
      ['available-account', 'debits-and-credits'],
    ],
    [
      'the newest entry',
      `update read_model.ledger_entries set available = available + 1`,
      ['statement'],
    ],
    ['a lost entry', 'delete from read_model.ledger_entries', ['chain', 'sequence', 'statement']],
  ];
  it.each(tampered)(
    'in %s is found with the next event, and heals by a rebuild',
    async (_, statement, kinds) => {
      const organizationId = test.newOrganization();
      await test.append(organizationId, [granted(organizationId, 10)]);
      await projected();
      const where = statement.includes('where') ? 'and' : 'where';
      await test.admin.query(`${statement} ${where} organization_id = '${organizationId}'`);
      await test.append(organizationId, [granted(organizationId, 5)]);
      const logged = await projected();
      expect(logged).toHaveLength(kinds.length);
      expect((await differencesOf(organizationId)).map(([kind]) => kind)).toEqual(kinds);
      await rebuilt();
      expect(await differencesOf(organizationId)).toEqual([]);
    },
  );

  it('in an idle ledger is found when all ledgers are checked', async () => {
    const [resting, busy] = [test.newOrganization(), test.newOrganization()];
    await test.append(resting, [granted(resting, 10)]);
    await projected();
    await test.admin.query(
      `update read_model.account_balances set credits = credits + 1
       where account = 'available' and organization_id = $1`,
      [resting],
    );
    await test.append(busy, [granted(busy, 1)]);
    await projected();
    expect(await differencesOf(resting)).toEqual([]);
    await test.append(busy, [granted(busy, 1)], (event) => ({
      ...event,
      id: event.id.replace(/...$/, '000'),
    }));
    await projected();
    expect(await differencesOf(resting)).toEqual([
      ['available-account', 1],
      ['debits-and-credits', 1],
    ]);
  });
});
