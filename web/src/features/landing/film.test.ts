import { describe, expect, it } from 'vitest';
import { framesOf, lengthOf, placeAt } from './film.ts';

const frames = framesOf({
  '/film/001-start-500.webp': '/b',
  '/film/000-signUp-2000.webp': '/a',
  '/film/002-answer-1000.webp': '/c',
});

describe('the frames of the film', () => {
  it('are in the order of their numbers, each after the time of those before', () => {
    expect(frames).toEqual([
      { url: '/a', chapter: 'signUp', startMs: 0, ms: 2000 },
      { url: '/b', chapter: 'start', startMs: 2000, ms: 500 },
      { url: '/c', chapter: 'answer', startMs: 2500, ms: 1000 },
    ]);
    expect(lengthOf(frames)).toBe(3500);
  });

  it('have a caption', () => {
    expect(() => framesOf({ '/film/000-credits-100.webp': '/a' })).toThrow('000-credits-100.webp');
  });

  it('are found by time, also outside the film', () => {
    expect([-1, 0, 1999, 2000, 2499, 2500, 99_999].map((ms) => placeAt(frames, ms))).toEqual([
      0, 0, 0, 1, 1, 2, 2,
    ]);
  });
});
