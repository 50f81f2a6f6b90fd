import { describe, expect, it } from 'vitest';
import { RowTimes, type StampedHead } from './stamps.ts';

const MINUTE_MS = 60_000;
const NOON = Date.parse('2026-11-28T12:00:00Z');
const timeOf = (minutes: number) => new Date(NOON + minutes * MINUTE_MS);

/** The log had so many rows so many minutes after noon. */
const head = (size: number, minutes: number): StampedHead => ({
  checkpoint: { organizationId: '0193a1b2-0000-7000-8000-000000000001', size, root: '' },
  at: timeOf(minutes),
  authority: 'Time-Stamps',
});

/** The rows that are reported, of rows from 1 on. */
function reported(heads: readonly StampedHead[], minutes: readonly number[]): string[] {
  const times = new RowTimes({ heads });
  for (const [index, one] of minutes.entries()) {
    times.add({ sequence: index + 1, at: timeOf(one).toISOString() });
  }
  return times.faults().map((fault) => fault.replace(/ is dated .* it /, ' '));
}

const heads = [head(4, 120), head(2, 60), head(4, 180)];

describe('the times of rows', () => {
  it('agree with the time-stamps, with some tolerance', () => {
    expect(reported(heads, [0, 59, 61, 119, 181])).toEqual([]);
    expect(reported(heads, [0, 74, 46, 119, 166])).toEqual([]);
    expect(reported([], [5, 0])).toEqual([]);
  });

  it('are reported when a row is from before a time-stamp that lacks it', () => {
    expect(reported(heads, [0, 59, 10, 119, 130])).toEqual([
      'Row 3 was not yet in the log at the time-stamp of 2026-11-28T13:00:00.000Z.',
      'Row 5 was not yet in the log at the time-stamp of 2026-11-28T15:00:00.000Z.',
    ]);
  });

  it('are reported when a row is from after a time-stamp that has it', () => {
    expect(reported(heads, [0, 90, 61, 140])).toEqual([
      'Row 2 was already in the log at the time-stamp of 2026-11-28T13:00:00.000Z.',
      'Row 4 was already in the log at the time-stamp of 2026-11-28T14:00:00.000Z.',
    ]);
  });
});
