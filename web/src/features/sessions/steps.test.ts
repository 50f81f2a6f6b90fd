import { describe, expect, it } from 'vitest';
import { cut, placeOf, progressOf, shownMs, spentUntil } from './steps.ts';

describe('cut', () => {
  it('keeps a short text', () => {
    expect(cut('abc', 3)).toBe('abc');
    expect(cut('', 3)).toBe('');
  });
  it('truncates a text that is one character too long, and marks it', () => {
    expect(cut('abcd', 3)).toBe('abc…');
  });
  it('never cuts a character in two', () => {
    expect(cut('🦀🦀🦀', 2)).toBe('🦀🦀…');
  });
});

describe('progressOf', () => {
  it('counts all steps of the list, and members do not use up those of the agent', () => {
    expect(progressOf({ currentStep: 0, maxSteps: 15, freeSteps: 0 })).toEqual({
      current: 0,
      max: 15,
    });
    expect(progressOf({ currentStep: 5, maxSteps: 15, freeSteps: 1 })).toEqual({
      current: 6,
      max: 16,
    });
  });
});

const after = (ms: number) => ({ createdAt: new Date(1_000_000 + ms).toISOString() });

describe('shownMs', () => {
  it('is the time until the next step, neither too short to read nor too long to wait', () => {
    const steps = [after(0), after(3_000), after(3_010), after(90_000), after(80_000)];
    expect(steps.map((_, index) => shownMs(steps, index))).toEqual([
      3_000, 1_500, 5_000, 1_500, 1_500,
    ]);
  });
});

describe('placeOf', () => {
  const steps = [{ stepNumber: 1 }, { stepNumber: 2 }, { stepNumber: 3 }];
  it('finds the step of an address', () => {
    expect(placeOf(steps, '3')).toBe(2);
  });
  it('begins with the first where there is no such step', () => {
    for (const at of ['0', '4', 'open', '', '-1', '1.0']) expect(placeOf(steps, at)).toBe(0);
    expect(placeOf([], '1')).toBe(0);
  });
});

describe('spentUntil', () => {
  it("adds up the cost, including the step's own", () => {
    const steps = [1, 0, 1, 1].map((creditsUsed) => ({ creditsUsed }));
    expect(steps.map((_, index) => spentUntil(steps, index))).toEqual([1, 1, 2, 3]);
  });
});
