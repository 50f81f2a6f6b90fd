import type { AuditEntry } from '@tallyhand/contracts/features/audit/audit.endpoints';
import { describe, expect, it } from 'vitest';
import { groupsOf, headOf, timeOf } from './audit-groups.ts';

const entry = (sequence: number, correlationId: string, ledgerEntry: number | null = null) =>
  ({ sequence, correlationId, ledgerEntry, at: `at ${sequence}` }) as AuditEntry;
const sequencesIn = (entries: readonly AuditEntry[]) =>
  groupsOf(entries).map((group) => group.entries.map(({ sequence }) => sequence));

describe('the groups of an audit log', () => {
  it('have what one request caused, although other entries stand between', () => {
    const newest = [entry(5, 'a'), entry(4, 'b'), entry(3, 'a'), entry(2, 'c'), entry(1, 'b')];
    expect(sequencesIn(newest)).toEqual([[5, 3], [4, 1], [2]]);
    expect(sequencesIn(newest.toReversed())).toEqual([[1, 4], [2], [3, 5]]);
  });

  it('keep their places and times when the next page adds older entries', () => {
    const page = [entry(5, 'a'), entry(4, 'b')];
    const more = groupsOf([...page, entry(3, 'a'), entry(2, 'c')]);
    expect(more.map(({ id }) => id)).toEqual(['a', 'b', 'c']);
    expect(more.map(timeOf)).toEqual(['at 5', 'at 4', 'at 2']);
  });

  it('are called by their earliest entry, and by one of the ledger only if there is no other', () => {
    const heads = (entries: AuditEntry[]) => groupsOf(entries).map((one) => headOf(one).sequence);
    expect(heads([entry(4, 'a', 7), entry(3, 'a'), entry(2, 'a'), entry(1, 'a', 6)])).toEqual([2]);
    expect(heads([entry(4, 'a', 7), entry(1, 'a', 6)])).toEqual([1]);
  });
});
