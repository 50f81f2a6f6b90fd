import type { Rolldown } from 'vite';

/** Adds a `modulepreload` link for each file that the given source files need, except those it has. */
export function preloads(bundle: Rolldown.OutputBundle, sources: readonly string[]) {
  const files = new Set(sources.flatMap((source) => filesOf(bundle, source)));
  return (page: string) => {
    const links = [...files]
      .filter((file) => !page.includes(`"/${file}"`))
      .map((file) => `    <link rel="modulepreload" crossorigin href="/${file}">\n`);
    return page.replace('  </head>', () => `${links.join('')}  </head>`);
  };
}

/** The chunks that hold a source file, and all that they import. */
function filesOf(bundle: Rolldown.OutputBundle, source: string): readonly string[] {
  const isIt = (id: string | null) => Boolean(id?.endsWith(`/${source}`));
  const chunks = Object.values(bundle).filter(
    (file) =>
      file.type === 'chunk' && (isIt(file.facadeModuleId) || file.moduleIds.some((id) => isIt(id))),
  );
  if (chunks.length === 0) throw new Error(`${source} is in no file of the build`);
  const found = new Set(chunks.map(({ fileName }) => fileName));
  for (const file of found) {
    const its = bundle[file];
    if (its?.type === 'chunk') for (const name of its.imports) found.add(name);
  }
  return [...found];
}
