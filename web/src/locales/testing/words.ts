type Tree = string | { readonly [key: string]: Tree } | readonly Tree[];

const trees = import.meta.glob<Tree>('../*/**/*.json', { eager: true, import: 'default' });
const sourceTexts = import.meta.glob<string>(
  ['../../**/*.{ts,tsx}', '!../../**/*.test.ts', '!../../**/testing/**'],
  { eager: true, import: 'default', query: '?raw' },
);

/** Texts by their keys, as `form.title`; items of lists by their number. */
export type Words = ReadonlyMap<string, string>;

/** Names of i18next's plural forms, as they end keys. */
const PLURAL = /_(zero|one|two|few|many|other)$/;

function* flat(tree: Tree, path: string): Generator<[string, string]> {
  if (typeof tree === 'string') return yield [path, tree];
  for (const [key, child] of Object.entries(tree))
    yield* flat(child, path ? `${path}.${key}` : key);
}

/** Of a file's path the language and the namespace; pages of text are `pages/about`. */
const placeOf = (path: string) => /^\.\.\/([a-z]{2})\/(.+)\.json$/.exec(path)?.slice(1) ?? [];

/** All folders of words that there are. */
export const folders: readonly string[] = [
  ...new Set(Object.keys(trees).flatMap((path) => placeOf(path)[0] ?? [])),
];

/** The files of a language, by their namespaces. */
export function filesOf(language: string): ReadonlyMap<string, Words> {
  const of = Object.entries(trees).filter(([path]) => placeOf(path)[0] === language);
  return new Map(of.map(([path, tree]) => [placeOf(path)[1] ?? '', new Map(flat(tree, ''))]));
}

/** Without the form of its plural. Sentences that are keys themselves have none. */
export const baseOf = (key: string) => key.replace(PLURAL, '');

/** The form of a key's plural; undefined where it has none. */
export const formOf = (key: string) => PLURAL.exec(key)?.[1];

/** Words of the code by its file's path within `web/src`, without comments and tests. */
export const sources: ReadonlyMap<string, string> = new Map(
  Object.entries(sourceTexts).map(([path, text]) => [
    path.replace('../../', ''),
    text.replace(/^\s*\/\/.*$/gm, '').replace(/(^|[\s{])\/\*[\s\S]*?\*\//g, '$1'),
  ]),
);
