import { expect, it } from 'vitest';
import { openLibrary, textsIn } from './library.ts';
import { scoreOf } from './score.ts';
import { tuningHalf } from './tuning-half.ts';

it('finds the right passages of the tuning half, and recognizes questions without an answer', async () => {
  await using library = await openLibrary(await textsIn('texts'));
  const { first, amongThree, quoted, saidSo, misses } = await scoreOf(tuningHalf, library);
  const said = misses.join('\n');
  expect(first, said).toBeGreaterThanOrEqual(0.8);
  expect(amongThree, said).toBeGreaterThanOrEqual(0.9);
  expect(quoted, said).toBeGreaterThanOrEqual(0.7);
  expect(saidSo, said).toBeGreaterThanOrEqual(0.9);
});
