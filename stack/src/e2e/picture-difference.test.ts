import { PNG } from 'pngjs';
import { describe, expect, it } from 'vitest';
import { differencesPage } from './differences-page.ts';
import { differenceOf } from './picture-difference.ts';

type Color = readonly [red: number, green: number, blue: number];
const PAPER: Color = [251, 248, 243];
const INK: Color = [20, 30, 60];

/** A picture of paper, with so many pixels in ink. */
function picture(width: number, height: number, inked = 0, ink = INK): Buffer {
  const png = new PNG({ width, height });
  for (let at = 0; at < width * height; at += 1) {
    png.data.set([...(at < inked ? ink : PAPER), 255], at * 4);
  }
  return PNG.sync.write(png);
}

describe('two pictures', () => {
  it('are the same within a small tolerance, in colors and in pixels', () => {
    expect(differenceOf(picture(100, 100), picture(100, 100))).toEqual({ state: 'same' });
    const warmer: Color = [250, 247, 240];
    expect(differenceOf(picture(100, 100), picture(100, 100, 10_000, warmer)).state).toBe('same');
    expect(differenceOf(picture(200, 200), picture(200, 200, 8)).state).toBe('same');
  });

  it('differ by a word, and the difference is a picture of their size', () => {
    const difference = differenceOf(picture(200, 200), picture(200, 200, 60));
    if (difference.state !== 'changed') throw new Error('No difference was found');
    expect(difference.share).toBeCloseTo(60 / 40_000);
    const { width, height, data } = PNG.sync.read(difference.picture);
    expect([width, height]).toEqual([200, 200]);
    expect([...data.subarray(0, 3)]).toEqual([255, 0, 0]);
  });

  it('differ by the part that only one of them has', () => {
    const difference = differenceOf(picture(100, 100), picture(100, 150));
    expect(difference).toMatchObject({ state: 'changed', share: expect.closeTo(1 / 3) });
  });
});

describe('the page of differences', () => {
  const compared = [
    { name: 'tasks-admin-light-375-de', state: 'changed', share: 0.0123 },
    { name: 'billing-admin-dark-768-ja', state: 'new' },
    { name: 'agents-admin-light-1440-en', state: 'changed', share: 0.5 },
    { name: 'team-admin-light-1440-en', state: 'same' },
  ] as const;

  it('shows what was, what is and the difference, the largest first', () => {
    const html = differencesPage(compared);
    for (const folder of ['accepted', 'sweep', 'differences']) {
      expect(html).toContain(`src="${folder}/tasks-admin-light-375-de.png"`);
    }
    expect(html.indexOf('agents-admin')).toBeLessThan(html.indexOf('tasks-admin'));
    expect(html).toContain('1.23%');
  });

  it('shows a new picture alone, and one that is the same only as a number', () => {
    const html = differencesPage(compared);
    expect(html).toContain('src="sweep/billing-admin-dark-768-ja.png"');
    expect(html).not.toContain('src="accepted/billing');
    expect(html).not.toContain('team-admin');
    expect(html).toContain('2 changed, 1 new, 1 the same');
  });
});
