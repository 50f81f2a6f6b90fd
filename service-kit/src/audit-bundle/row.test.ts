import { hash } from 'node:crypto';
import { describe, expect, it } from 'vitest';
import { AuditRow, hashedText, leafOf } from './row.ts';
import { sampleRow } from './testing/sample-bundle.ts';

const row = sampleRow(7);

describe('a row', () => {
  it('has the hash of its canonical text, with a zero byte before it', () => {
    const { revealed: _, ...hashed } = row;
    expect(JSON.parse(hashedText(row))).toEqual(hashed);
    expect(leafOf(row)).toEqual(
      hash('sha256', Buffer.concat([Buffer.of(0), Buffer.from(hashedText(row))]), 'buffer'),
    );
  });

  it('has the same hash when a person in it was erased', () => {
    const erased = { ...row, revealed: { 'data.username': 'erased' } };
    expect(leafOf(erased)).toEqual(leafOf(row));
  });

  it.each(Object.keys(AuditRow.shape).filter((field) => field !== 'revealed'))(
    'has another hash when its %s differs',
    (field) => {
      const other = { ...row, [field]: { another: field } } as unknown as AuditRow;
      expect(leafOf(other)).not.toEqual(leafOf(row));
    },
  );

  it.each([
    ['a field of which nothing is known', { note: 'x' }],
    ['a moment in another zone', { at: '2026-11-21T09:00:00.000+01:00' }],
    ['a moment without milliseconds', { at: '2026-11-21T08:00:00Z' }],
    ['a sequence of zero', { sequence: 0 }],
    ['data that is a list', { data: [] }],
    ['an empty cause', { causationId: '' }],
  ])('is refused with %s', (_, change) => {
    expect(AuditRow.safeParse(row).success).toBe(true);
    expect(AuditRow.safeParse({ ...row, ...change }).success).toBe(false);
  });
});
