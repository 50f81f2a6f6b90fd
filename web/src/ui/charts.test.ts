import { describe, expect, it } from 'vitest';
import { axisOf } from './charts.tsx';

describe('the axis of a chart', () => {
  it('goes from zero to a round number that holds every value', () => {
    const ends = [[3], [12], [20], [21], [780], [10_001]].map((values) => axisOf(values));
    expect(ends).toEqual([
      [0, 4],
      [0, 20],
      [0, 20],
      [0, 40],
      [0, 1_000],
      [0, 20_000],
    ]);
  });
  it('has a length when all is zero', () => {
    expect(axisOf([0, 0])).toEqual([0, 1]);
    expect(axisOf([])).toEqual([0, 1]);
  });
});
