import { describe, expect, it } from 'vitest';
import { filesOf, sources } from '../locales/testing/words.ts';

const namespaces = [...filesOf('en').keys()];

/** A path relative to `web/src`, of an import in a file. */
const resolved = (from: string, named: string) =>
  new URL(named, `file:///${from}`).pathname.slice(1);

/** The static imports of a file; types alone load no code. */
const importsOf = (path: string) =>
  [...(sources.get(path) ?? '').matchAll(/^(?:import|export)\s(?!type\b)[^'";]*?'(\.[^']+)'/gm)]
    .map(([, named = '']) => resolved(path, named))
    .filter((file) => sources.has(file));

function withImports(path: string, seen = new Set<string>()): Set<string> {
  if (seen.has(path)) return seen;
  seen.add(path);
  for (const file of importsOf(path)) withImports(file, seen);
  return seen;
}

/** The files of words that a file of code names. */
function wordsNamed(path: string): string[] {
  const source = sources.get(path) ?? '';
  const hooks = [...source.matchAll(/useTranslation\(([^)]*)\)/g)].map(([, names]) => names ?? '');
  const named = [...hooks.join().matchAll(/'(\w+)'/g)].map(([, name]) => name ?? '');
  const prefixes = [...source.matchAll(/['"`](\w+):/g)].map(([, name]) => name ?? '');
  const bundles = [...source.matchAll(/getResourceBundle\([^)]*'(\w+)'/g)].map(
    ([, name]) => name ?? '',
  );
  return [...named, ...prefixes, ...bundles].filter((name) => namespaces.includes(name));
}

const wordsNeeded = (path: string) =>
  [...new Set([...withImports(path)].flatMap(wordsNamed))]
    .filter((name) => name !== 'common')
    .sort();

/** The file of an exported component, possibly through another file. */
function fileOf(component: string, given: string): string {
  const passedOn = [...(sources.get(given) ?? '').matchAll(/^export \{([^}]*)\} from '([^']+)'/gm)];
  const from = passedOn.find(([, names = '']) => names.match(/\w+/g)?.includes(component))?.[2];
  return from === undefined ? given : resolved(given, from);
}

/** Parts by themselves, and the pages in tables of paths. */
const parts = [...sources].flatMap(([path, source]) =>
  [
    ...source.matchAll(
      /(?:\bconst (\w+) = (?:part\(\s*(?:\[[^\]]*\]|\w+),|laterPart\()|'\/[^']*': \[)\s*\[([^\]]*)\],[^;]*?import\('([^']+)'\)/g,
    ),
  ].map(([, component = '', words = '', named = '']) => ({
    file: fileOf(component, resolved(path, named)),
    words: [...words.matchAll(/'(\w+)'/g)].map(([, word]) => word).sort(),
  })),
);

describe('the code that is loaded on demand', () => {
  it.each(parts)('$file loads the texts of everything that it imports, and no others', (part) => {
    expect(part.words).toEqual(wordsNeeded(part.file));
  });

  it('is always such a part', () => {
    const others = [...sources].filter(
      ([path, source]) => /\blazy\(/.test(source) && path !== 'app/part.ts',
    );
    expect(others.map(([path]) => path)).toEqual([]);
    expect(parts.length).toBeGreaterThan(25);
  });

  it('needs no words before the first part is there, but the common ones', () => {
    expect(wordsNeeded('app/main.tsx')).toEqual([]);
  });
});
