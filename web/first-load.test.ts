import { existsSync, readFileSync } from 'node:fs';
import { dirname, relative, resolve } from 'node:path';
import { fileURLToPath } from 'node:url';
import { describe, expect, it } from 'vitest';

const sources = fileURLToPath(new URL('src/', import.meta.url));

/** Lines that load another module at once; types are gone in the browser. */
const STATIC = /^(?:import|export)\s(?!type\b)(?:[^'"]*?\sfrom\s)?['"]([^'"]+)['"]/gm;

/** The packages and source files that a source file needs, with all its static imports. */
function needsOf(path: string, seen = new Set<string>(), found = new Set<string>()) {
  if (seen.has(path)) return found;
  seen.add(path);
  for (const [, name = ''] of readFileSync(path, 'utf8').matchAll(STATIC)) {
    const target = resolve(dirname(path), name);
    found.add(name.startsWith('.') ? relative(sources, target) : name);
    if (name.startsWith('.') && /\.tsx?$/.test(name) && existsSync(target)) {
      needsOf(target, seen, found);
    }
  }
  return found;
}

const heavyPackage =
  /^(zod|three|react-markdown|remark-gfm|react-hook-form|@hookform\/resolvers|@tanstack|tailwind-merge)(\/|$)/;
/** Overlays need much code to be placed and closed, and are not visible at first. */
const heavyPart =
  /^ui\/(dialog|confirm-dialog|dropdown-menu|popover|toasts|tooltip-bubble|markdown)\.tsx$/;

describe('the code needed before a page can be used', () => {
  it.each([
    'app/main.tsx',
    'app/shell.tsx',
    'app/with-store.tsx',
    'app/require-user.tsx',
    'features/landing/landing.page.tsx',
    'features/organizations/dashboard.page.tsx',
  ])('holds nothing heavy: %s', (entry) => {
    const needs = [...needsOf(resolve(sources, entry))];
    expect(needs).toContain('react');
    expect(needs.filter((name) => heavyPackage.test(name) || heavyPart.test(name))).toEqual([]);
  });

  it('would be noticed otherwise', () => {
    const needs = [...needsOf(resolve(sources, 'features/tasks/tasks.page.tsx'))];
    expect(needs).toContain('@tanstack/react-virtual');
    expect(needs).toContain('ui/dialog.tsx');
  });
});
