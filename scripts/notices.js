import { readFileSync } from 'node:fs';
import { join } from 'node:path';

const NAMES = ['LICENSE', 'LICENSE.md', 'LICENSE.txt', 'license', 'LICENCE'];

/**
 * The licenses of the packages that a bundle is made of. Plain JavaScript, because the builds of the
 * command line and of the verifier share it.
 *
 * @param {readonly string[]} moduleIds the files of the bundle
 */
export function noticesOf(moduleIds) {
  const packages = new Map();
  for (const id of moduleIds) {
    const [, name] = /^.*\/node_modules\/((?:@[^/]+\/)?[^/]+)\//.exec(id) ?? [];
    if (name) packages.set(name, id.slice(0, id.lastIndexOf(`/node_modules/${name}/`)));
  }
  const notices = [...packages].toSorted().map(([name, parent]) => {
    const own = join(parent, 'node_modules', name);
    const { version, license } = JSON.parse(readFileSync(join(own, 'package.json'), 'utf8'));
    return `${name} ${version} (${license})\n\n${licenseIn(own)}`;
  });
  return notices.join(`\n${'-'.repeat(80)}\n\n`);
}

function licenseIn(own) {
  for (const name of NAMES) {
    try {
      return readFileSync(join(own, name), 'utf8');
    } catch {
      // Under another name.
    }
  }
  throw new Error(`${own} has no license file`);
}
