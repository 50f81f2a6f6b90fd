import { describe, expect, it } from 'vitest';
import { type Figures, statusOf } from './status.ts';

const projection = {
  projection: 'tasks',
  position: 7,
  lagSeconds: 0,
  lagEvents: 0,
  parked: 0,
  isRebuilding: false,
};
const well: Figures = {
  differences: 0,
  audit: { differences: 0, checkedSeconds: 1, stampedSeconds: null },
  projections: [projection],
  projector: { silentSeconds: 1, eventStoreError: null },
};

const lagging = (lagSeconds: number) => ({ projections: [{ ...projection, lagSeconds }] });
const silent = (silentSeconds: number | null) => ({
  projector: { silentSeconds, eventStoreError: null },
});

/** The whole, and the checks that are not well. */
function told(change: Partial<Figures>) {
  const { status, checks } = statusOf({ ...well, ...change });
  const unwell = checks.filter((check) => check.status !== 'ok');
  return [status, ...unwell.map((check) => `${check.name} ${check.status}`)];
}

describe('the status', () => {
  it('is well while nothing is wrong, also during a rebuild', () => {
    expect(told({ projections: [{ ...projection, isRebuilding: true }] })).toEqual(['ok']);
  });

  it('is degraded by a lag, a parked event or a ledger that differs', () => {
    expect(told(lagging(5))).toEqual(['ok']);
    expect(told(lagging(5.1))).toEqual(['degraded', 'read-models degraded']);
    expect(told({ differences: 1 })).toEqual(['degraded', 'ledger failing']);
    const audit = { differences: 1, checkedSeconds: 1, stampedSeconds: null };
    expect(told({ audit })).toEqual(['degraded', 'audit failing']);
    const parked = { ...projection, parked: 1 };
    expect(told({ projections: [parked] })).toEqual(['degraded', 'events degraded']);
    expect(told({ projections: [{ ...parked, projection: 'ledger' }] })).toEqual([
      'degraded',
      'events degraded',
      'ledger failing',
    ]);
  });

  it('fails with the stores and the projector', () => {
    expect(told(lagging(61))).toEqual(['failing', 'read-models failing']);
    expect(told(silent(10))).toEqual(['ok']);
    expect(told(silent(11))).toEqual(['failing', 'read-models failing']);
    expect(told(silent(null))).toEqual(['failing', 'read-models failing']);
    const cutOff = { silentSeconds: 1, eventStoreError: 'No connection' };
    expect(told({ projector: cutOff })).toEqual(['failing', 'event-store failing']);
    expect(statusOf(null)).toEqual({
      status: 'failing',
      checks: [{ name: 'database', status: 'failing' }],
    });
  });

  it('is degraded by a disk with little space, if data is stored on this machine', () => {
    const disk = (isLow: boolean | null) =>
      statusOf(well, isLow).checks.filter(({ name }) => name === 'disk');
    expect(disk(null)).toEqual([]);
    expect(disk(false)).toEqual([{ name: 'disk', status: 'ok' }]);
    expect(disk(true)).toEqual([{ name: 'disk', status: 'degraded' }]);
    expect(statusOf(well, true).status).toBe('degraded');
    expect(statusOf(null, true).checks.map(({ name }) => name)).toEqual(['database', 'disk']);
  });
});
