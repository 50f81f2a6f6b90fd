import { describe, expect, it } from 'vitest';
import { scenes } from './scenes.ts';
import { type Choice, isKept, looksOf, pairwise, sweepOf } from './sweep.ts';

const LANGUAGES = ['en', 'de', 'ja'];
const sweep = sweepOf(scenes, LANGUAGES);

describe('the sweep of all scenes', () => {
  it('shows each in both themes, three widths and every language', () => {
    for (const { name } of scenes) {
      const shots = sweep.filter(({ scene }) => scene === name);
      expect(new Set(shots.map(({ theme }) => theme)).size, name).toBe(2);
      expect(new Set(shots.map(({ width }) => width)).size, name).toBe(3);
      expect(new Set(shots.map(({ language }) => language)).size, name).toBe(3);
    }
  });

  it('shows pages of members to each role, and dialogs to the roles that can open them', () => {
    const seenBy = (name: string) =>
      [...new Set(sweep.filter(({ scene }) => scene === name).map(({ as }) => as))].toSorted();
    expect(seenBy('billing')).toEqual(['admin', 'editor', 'viewer']);
    expect(seenBy('billing-limit-add')).toEqual(['admin']);
    expect(seenBy('landing')).toEqual(['visitor']);
  });

  it('keeps one picture of each', () => {
    const kept = scenes.flatMap((scene) =>
      sweep.filter((shot) => shot.scene === scene.name && isKept(shot, scene)),
    );
    expect(kept.map(({ scene }) => scene)).toEqual(scenes.map(({ name }) => name));
  });

  it('needs hardly more than three of each', () => {
    expect(sweep.length).toBeLessThan(scenes.length * 3.5);
  });

  it('shows a single scene in each theme and width', () => {
    const [scene] = scenes;
    if (!scene) throw new Error('There are no scenes');
    expect(looksOf([scene])).toHaveLength(6);
  });
});

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
  it('covers every pair of values', () => {
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
