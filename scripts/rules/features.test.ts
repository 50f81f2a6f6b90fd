import { existsSync, readdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { WEB_PATHS } from '@tallyhand/contracts/web-paths';
import { describe, expect, it } from 'vitest';
import { root } from '../prepare.js';

const read = (file: string) => readFileSync(join(root, file), 'utf8');
const features = read('docs/features.md');

const all = (text: string, pattern: RegExp) =>
  [...text.matchAll(pattern)].map(([, found = '']) => found);

/** `*` is the page of all other paths. */
const PAGES = [...WEB_PATHS, '*'];

describe('the list of features', () => {
  it('has every page, and no removed one', () => {
    const headings = all(features, /^## (.*)$/gm).flatMap((heading) => all(heading, /`([^`]+)`/g));
    expect(headings.toSorted()).toEqual(PAGES.toSorted());
  });

  it('names existing tests', () => {
    const named = [...new Set(all(features, /`([^`]+\.test\.tsx?)`/g))];
    expect(named.length).toBeGreaterThan(10);
    expect(named.filter((file) => !existsSync(join(root, file)))).toEqual([]);
  });

  it('names a test for every feature', () => {
    const rows = all(features, /^(\|.*)$/gm).filter((row) => !/^\|(?:---| feature)/.test(row));
    expect(rows.filter((row) => !/`[^`]+\.test\.tsx?` \|$/.test(row))).toEqual([]);
  });

  it('names every test in a browser', () => {
    const folder = 'stack/src/e2e';
    const tests = readdirSync(join(root, folder)).filter((file) => /\.e2e\.test\.ts$/.test(file));
    expect(tests.filter((file) => !features.includes(`${folder}/${file}`))).toEqual([]);
  });
});
