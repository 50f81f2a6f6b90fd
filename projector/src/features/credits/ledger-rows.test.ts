import {
  AdjustmentPosted,
  type LedgerEvent,
  ledgerEvents,
} from '@tallyhand/contracts/features/credits/credits.events';
import { START } from '@tallyhand/service-kit/event-store/position';
import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import type { Happened } from '../../kernel/projection.ts';
import { anyHistory, charged, granted } from '../../testing/ledger-history.ts';
import { linked } from '../../testing/test-projector.ts';
import { foldLedgers, lineOf } from './ledger-rows.ts';

const organizationId = '0190b5a0-0000-7000-8000-000000000001';
const reservationId = '0190b5a0-0000-7000-8000-000000000002';

type Stored = Happened<LedgerEvent>;

/** Events as stored in the ledger's stream, from its first entry on. */
const stored = (events: readonly LedgerEvent[]): Stored[] =>
  linked(
    organizationId,
    '',
    events.map((event) => ({ event })),
  ).map(({ link: _, ...linkedEvent }, index) => {
    const event = events[index] ?? granted(organizationId, 1);
    const place = { stream: `ledger-${organizationId}`, revision: BigInt(index), position: START };
    return { event, stored: { ...linkedEvent, ...place, data: event.data } };
  });

/** The same event with altered stored content. */
const altered = (of: Stored | undefined, change: Partial<Stored['stored']>): Stored => {
  if (!of) throw new Error('There is no such event');
  const data = { ...of.event.data, ...change.data };
  return { stored: { ...of.stored, ...change, data }, event: { ...of.event, data } as LedgerEvent };
};

const fold = (happened: readonly Stored[]) => foldLedgers(happened, new Map());
const sum = (numbers: readonly number[]) => numbers.reduce((a, b) => a + b, 0);

describe('the rows of a ledger', () => {
  it('balance for every event of any history, and add up to the available credits', () => {
    const seen = new Set<string>();
    fc.assert(
      fc.property(anyHistory(organizationId), (events) => {
        for (const { type } of events) seen.add(type);
        const { entries, journal, differences } = fold(stored(events));
        expect(differences).toEqual([]);
        expect(entries).toHaveLength(events.length);
        for (const { sequence } of entries) {
          const lines = journal.filter((line) => line.sequence === sequence);
          expect(sum(lines.map(({ debit }) => debit))).toBe(sum(lines.map((line) => line.credit)));
        }
        const ofAccount = (name: string) =>
          sum(journal.filter((l) => l.account === name).map((l) => l.credit - l.debit));
        const posted = sum(entries.map((entry) => entry.posted_change));
        const reserved = sum(entries.map((entry) => entry.reserved_change));
        expect(ofAccount('reserved')).toBe(reserved);
        expect(ofAccount('available')).toBe(posted - reserved);
        expect(entries.at(-1)?.available).toBe(posted - reserved);
      }),
    );
    expect([...seen].sort()).toEqual(Object.keys(ledgerEvents).sort());
  });

  it('take a negative adjustment from the available credits', () => {
    const adjustment = AdjustmentPosted({
      organizationId,
      adjustmentId: reservationId,
      amount: -7,
      reason: 'Double grant',
      approver: 'Ada',
    });
    expect(fold(stored([adjustment]))).toMatchObject({
      entries: [{ kind: 'adjusted', amount: -7, available: -7, approver: 'Ada' }],
      journal: [
        { account: 'available', debit: 7, credit: 0 },
        { account: 'adjustments', debit: 0, credit: 7 },
      ],
    });
  });

  it("repeat a charge's member, agent and work", () => {
    const [, charge] = charged(organizationId, reservationId, 3);
    if (!charge) throw new Error('There is no charge');
    expect(lineOf(charge)).toMatchObject({
      kind: 'charged',
      amount: 3,
      posted: -3,
      reserved: -3,
      price: 3,
      reservationId,
      workType: 'query',
      work: { kind: 'task', id: reservationId },
    });
  });
});

describe('a ledger whose events were tampered with', () => {
  const history = () =>
    stored([granted(organizationId, 100), ...charged(organizationId, reservationId)]);
  const kindsOf = (happened: readonly Stored[]) =>
    fold(happened).differences.map(({ kind, sequence }) => [kind, sequence]);

  it('differs once when an amount was altered, and counts the stored value', () => {
    const [grant, ...rest] = history();
    const forged = [altered(grant, { data: { amount: 1_000 } }), ...rest];
    expect(kindsOf(forged)).toEqual([['chain', 1]]);
    expect(fold(forged).entries.at(-1)?.available).toBe(999);
  });

  it('differs where its time was altered', () => {
    const [grant, reserve, charge] = history();
    if (!reserve) throw new Error('There is no reservation');
    const envelope = { ...reserve.stored.envelope, recordedAt: '2025-01-01T00:00:00.000Z' };
    const forged = [altered(grant, {}), altered(reserve, { envelope }), altered(charge, {})];
    expect(kindsOf(forged)).toEqual([['chain', 2]]);
  });

  it('differs where an event is missing', () => {
    const [grant, , charge] = history();
    expect(kindsOf([altered(grant, {}), altered(charge, {})])).toEqual([
      ['sequence', 3],
      ['chain', 3],
    ]);
  });

  it('differs when an event is in another stream, which is not counted', () => {
    const [grant, reserve] = history();
    const astray = altered(reserve, { stream: 'ledger-of-another' });
    const { entries, differences } = fold([altered(grant, {}), astray]);
    expect(differences).toMatchObject([{ kind: 'stream', sequence: 2 }]);
    expect(entries).toHaveLength(1);
  });

  it('keeps its rows when an entry arrives a second time', () => {
    const [grant] = history();
    const { entries, differences } = fold([altered(grant, {}), altered(grant, {})]);
    expect(entries).toHaveLength(1);
    expect(differences).toMatchObject([{ kind: 'sequence', sequence: 1 }]);
  });
});
