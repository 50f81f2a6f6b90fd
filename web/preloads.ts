import type { Rolldown } from 'vite';

/**
 * Lets a browser ask for files of a page together with the script that will ask for them, and not after
 * that has come and run: adds links to a page, for `sources` below src and all that these import.
 */
export function preloads(bundle: Rolldown.OutputBundle, sources: readonly string[]) {
  const files = new Set(sources.flatMap((source) => filesOf(bundle, source)));
  return (page: string) => {
    const links = [...files]
      .filter((file) => !page.includes(`"/${file}"`))
      .map((file) => `    <link rel="modulepreload" crossorigin href="/${file}">\n`);
    return page.replace('  </head>', () => `${links.join('')}  </head>`);
  };
}

/** The file that a module went into, and those that it can't run without. */
function filesOf(bundle: Rolldown.OutputBundle, source: string): readonly string[] {
  const chunk = Object.values(bundle).find(
    (file) => file.type === 'chunk' && file.moduleIds.some((id) => id.endsWith(`/src/${source}`)),
  );
  if (chunk?.type !== 'chunk') throw new Error(`${source} is in no file of the build`);
  const found = new Set([chunk.fileName]);
  for (const file of found) {
    const its = bundle[file];
    if (its?.type === 'chunk') for (const name of its.imports) found.add(name);
  }
  return [...found];
}
