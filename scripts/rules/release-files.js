/* What a release writes, as functions of the files' texts. */

const VERSION = /^\d+\.\d+\.\d+$/;
const UNRELEASED = '## Unreleased\n';

/** Why this can't be the next version, or null. */
export function versionFault(version, current) {
  if (!VERSION.test(version)) return `${version} is not a version such as 1.2.3`;
  const [next, last] = [version, current].map((text) => text.split('.').map(Number));
  const at = next.findIndex((number, index) => number !== last[index]);
  return at >= 0 && next[at] > last[at] ? null : `${version} does not follow ${current}`;
}

/** The changelog with the section `Unreleased` dated; null if that is empty. */
export function releasedChangelog(text, version, day) {
  const [before, after] = text.split(UNRELEASED);
  const [entries = ''] = (after ?? '').split('\n## ');
  if (entries.trim() === '') return null;
  return `${before}${UNRELEASED}\n## ${version} (${day})\n${after}`;
}

/** A package file or lock file with the version of our own packages, and where they need each other. */
export function withVersion(text, version, folders) {
  const file = JSON.parse(text);
  const own = file.packages ? ['', ...folders].map((folder) => file.packages[folder]) : [];
  for (const one of [file, ...own]) {
    if (one?.version) one.version = version;
    for (const needs of [one?.dependencies, one?.devDependencies]) {
      for (const name of Object.keys(needs ?? {})) {
        if (name.startsWith('@tallyhand/')) needs[name] = version;
      }
    }
  }
  return `${JSON.stringify(file, null, 2)}\n`;
}

/** The names of our own images with the version. */
export const withImages = (text, current, version) =>
  text.replaceAll(
    new RegExp(`(tallyhand/[a-z-]+):${current.replaceAll('.', '\\.')}`, 'g'),
    `$1:${version}`,
  );
