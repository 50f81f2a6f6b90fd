import { describe, expect, it } from 'vitest';
import { axisMax, percentOfAxis } from './charts.tsx';

describe('the axis of a chart', () => {
  it('ends at a round number that holds every value', () => {
    expect([[3], [12], [20], [21], [780], [10_001]].map(axisMax)).toEqual([
      5, 20, 20, 50, 1_000, 20_000,
    ]);
  });
  it('has a length when all is zero', () => {
    expect(axisMax([0, 0])).toBe(1);
    expect(axisMax([])).toBe(1);
  });
  it('begins at zero', () => {
    expect(percentOfAxis(5, 20)).toBe(25);
    expect(percentOfAxis(-3, 20)).toBe(0);
  });
});
