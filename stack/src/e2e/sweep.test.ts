import { describe, expect, it } from 'vitest';
import { scenes } from './scenes.ts';
import { isKept, looksOf, sweepOf } from './sweep.ts';

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
    expect(seenBy('landing')).toEqual(['nobody']);
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
