import type {
  LedgerEntry,
  LedgerGroup,
} from '@tallyhand/contracts/features/credits/credits.endpoints';
import { describe, expect, it } from 'vitest';
import { changeOf, groupWith, keyOf, lastOf, outcomeOf } from './ledger-groups.ts';

const entry = (sequence: number, kind: LedgerEntry['kind'], availableChange: number) =>
  ({ id: `id-${sequence}`, sequence, kind, availableChange }) as LedgerEntry;
const group = (...entries: LedgerEntry[]): LedgerGroup => ({
  id: entries[0]?.id ?? '',
  createdAt: '2026-11-21T00:00:00.000Z',
  entries,
});

const charged = group(entry(3, 'reserved', -2), entry(5, 'charged', 0), entry(9, 'extended', 0));
const released = group(entry(4, 'reserved', -1), entry(6, 'released', 1));
const open = group(entry(7, 'extended', 0));

describe('a group of ledger entries', () => {
  it('is called by its outcome, which an extension is not', () => {
    expect([charged, released, open].map((one) => outcomeOf(one).kind)).toEqual([
      'charged',
      'released',
      'extended',
    ]);
  });

  it('changes the balance by the sum of its entries', () => {
    expect([charged, released].map(changeOf)).toEqual([-2, 0]);
  });

  it('is named by its first entry, and found by each', () => {
    const groups = [released, charged];
    expect(groups.map(keyOf)).toEqual(['4', '3']);
    expect(lastOf(charged).sequence).toBe(9);
    expect(['3', '5', '9'].map((key) => groupWith(groups, key))).toEqual(Array(3).fill(charged));
    expect(groupWith(groups, '7')).toBeUndefined();
    expect(groupWith(groups, undefined)).toBeUndefined();
  });
});
