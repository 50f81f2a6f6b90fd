import { describe, expect, it } from 'vitest';
import { type Choice, pairwise } from './pairwise.ts';

const candidates = ['one', 'two', 'three', 'four', 'five', 'six'].flatMap((scene) =>
  ['light', 'dark'].flatMap((theme) =>
    [375, 768, 1440].flatMap((width) =>
      ['en', 'de', 'ja'].map((language) => ({ scene, theme, width, language })),
    ),
  ),
);

function pairsIn(choices: readonly Choice[]): Set<string> {
  const pairs = choices.flatMap((choice) => {
    const values = Object.values(choice);
    return values.flatMap((a, at) => values.slice(at + 1).map((b) => `${a} with ${b}`));
  });
  return new Set(pairs);
}

describe('pairwise', () => {
  it('lets each two values meet', () => {
    expect(pairsIn(pairwise(candidates, []))).toEqual(pairsIn(candidates));
  });

  it('takes hardly more than three of a scene, which has three widths and languages', () => {
    expect(pairwise(candidates, []).length).toBeLessThanOrEqual(6 * 3 + 2);
  });

  it('begins with the required ones, and does not repeat them', () => {
    const wanted = candidates.slice(0, 5);
    const chosen = pairwise(candidates, wanted);
    expect(chosen.slice(0, 5)).toEqual(wanted);
    expect(new Set(chosen).size).toBe(chosen.length);
  });

  it('takes only candidates, and no pair that none of them contains', () => {
    const possible = candidates.filter(({ scene, width }) => scene !== 'one' || width === 375);
    const chosen = pairwise(possible, []);
    expect(chosen.every((choice) => possible.includes(choice))).toBe(true);
    expect(pairsIn(chosen)).toEqual(pairsIn(possible));
  });
});
