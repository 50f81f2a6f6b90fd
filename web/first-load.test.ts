import { existsSync, readFileSync } from 'node:fs';
import { dirname, resolve } from 'node:path';
import { fileURLToPath } from 'node:url';
import { describe, expect, it } from 'vitest';

const local = (path: string) => fileURLToPath(new URL(`src/${path}`, import.meta.url));

/** Lines that load another module at once; types are gone in the browser. */
const STATIC = /^(?:import|export)\s(?!type\b)(?:[^'"]*?\sfrom\s)?['"]([^'"]+)['"]/gm;

/** The packages that a source file and all that it imports at once need. */
function packagesOf(path: string, seen = new Set<string>(), found = new Set<string>()) {
  if (seen.has(path)) return found;
  seen.add(path);
  for (const [, name = ''] of readFileSync(path, 'utf8').matchAll(STATIC)) {
    const target = resolve(dirname(path), name);
    if (!name.startsWith('.')) found.add(name);
    else if (/\.tsx?$/.test(name) && existsSync(target)) packagesOf(target, seen, found);
  }
  return found;
}

const heavy =
  /^(zod|three|react-markdown|remark-gfm|react-hook-form|@hookform\/resolvers|@tanstack)(\/|$)/;

describe('what comes before a page can be used', () => {
  it.each([
    'app/main.tsx',
    'app/shell.tsx',
    'app/with-store.tsx',
    'features/landing/landing.page.tsx',
  ])('holds nothing heavy: %s', (entry) => {
    const packages = [...packagesOf(local(entry))];
    expect(packages).toContain('react');
    expect(packages.filter((name) => heavy.test(name))).toEqual([]);
  });

  it('would be seen where it did', () => {
    const packages = [...packagesOf(local('features/tasks/tasks.page.tsx'))];
    expect(packages).toContain('@tanstack/react-virtual');
  });
});
