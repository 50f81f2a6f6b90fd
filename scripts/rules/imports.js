import { readFileSync } from 'node:fs';
import { join, posix } from 'node:path';

/** Every way to name another module: static, re-export, for its effect, dynamic. */
const IMPORT =
  /(?:^|[\n;])\s*(?:import|export)\s(?:[^'"`;]*?\sfrom\s*)?['"]([^'"\n]+)['"]|\bimport\(\s*['"]([^'"\n]+)['"]\s*\)/g;

/** Comments may contain examples of imports. In a path or glob `/*` begins no comment. */
const withoutComments = (text) =>
  text.replace(/^\s*\/\/.*$/gm, '').replace(/(^|[\s({[,;])\/\*[\s\S]*?\*\//gm, '$1');

/** The modules that a source file names, in order. */
export function importsOf(text) {
  return [...withoutComments(text).matchAll(IMPORT)].map(([, named, dynamic]) => named ?? dynamic);
}

/** A source file by its path from the root, or a package by its name. */
function resolve(from, named) {
  if (named.startsWith('.')) return posix.join(posix.dirname(from), named);
  const own = /^@tallyhand\/([a-z-]+)\/(.+)$/.exec(named);
  if (own) return `${own[1]}/src/${own[2]}.ts`;
  return named;
}

/** Pairs of an importing file and the imported one, over all source files. */
export function dependenciesOf(root, files) {
  return files.flatMap((from) =>
    importsOf(readFileSync(join(root, from), 'utf8')).map((named) => ({
      from,
      to: resolve(from, named),
    })),
  );
}

/** Imports that load nothing now: of types, and on demand. */
const NOT_LOADED = /^(?:import|export) type\s[^;]*;|\bimport\([^)]*\)/gm;

/** The source files and packages that are loaded with a source file. */
export function loadedWith(root, first) {
  const loaded = new Set([first]);
  for (const file of loaded) {
    if (!/\.tsx?$/.test(file)) continue;
    const text = readFileSync(join(root, file), 'utf8').replace(NOT_LOADED, '');
    for (const named of importsOf(text)) loaded.add(resolve(file, named));
  }
  return loaded;
}

/** Files that depend on themselves by some way, as the way they do so. */
export function cyclesIn(dependencies) {
  const next = new Map();
  for (const { from, to } of dependencies) next.set(from, [...(next.get(from) ?? []), to]);
  const done = new Set();
  const found = [];
  const walk = (file, way) => {
    const seen = way.indexOf(file);
    if (seen >= 0) found.push([...way.slice(seen), file].join(' -> '));
    if (seen >= 0 || done.has(file)) return;
    for (const to of next.get(file) ?? []) if (next.has(to)) walk(to, [...way, file]);
    done.add(file);
  };
  for (const file of next.keys()) walk(file, []);
  return found;
}
