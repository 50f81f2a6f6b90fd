import { mkdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { rolldown } from 'rolldown';

/*
 * Bundles the command line with all that it imports: the package has no dependencies. Writes dist/,
 * with the licenses of the packages inside. Plain JavaScript, so that the system's Node runs it.
 */

const folder = fileURLToPath(new URL('.', import.meta.url));
const dist = join(folder, 'dist');
rmSync(dist, { recursive: true, force: true });

const bundle = await rolldown({
  input: { tallyhand: join(folder, 'src', 'tallyhand.main.ts') },
  platform: 'node',
  transform: { target: 'node20.19' },
  onLog: (level, { message }) => {
    if (level === 'warn') throw new Error(message);
  },
});
const { output } = await bundle.write({
  dir: dist,
  format: 'es',
  chunkFileNames: '[name].js',
  comments: false,
});

const packages = new Map();
for (const id of output.flatMap(({ moduleIds = [] }) => moduleIds)) {
  const [, name] = /^.*\/node_modules\/((?:@[^/]+\/)?[^/]+)\//.exec(id) ?? [];
  if (name) packages.set(name, id.slice(0, id.indexOf(`/node_modules/${name}/`)));
}
const notices = [...packages].toSorted().map(([name, parent]) => {
  const own = join(parent, 'node_modules', name);
  const { version, license } = JSON.parse(readFileSync(join(own, 'package.json'), 'utf8'));
  return `${name} ${version} (${license})\n\n${licenseIn(own)}`;
});
mkdirSync(dist, { recursive: true });
writeFileSync(join(dist, 'THIRD-PARTY-NOTICES.txt'), notices.join(`\n${'-'.repeat(80)}\n\n`));

function licenseIn(own) {
  for (const name of ['LICENSE', 'LICENSE.md', 'LICENSE.txt', 'license', 'LICENCE']) {
    try {
      return readFileSync(join(own, name), 'utf8');
    } catch {
      // Under another name.
    }
  }
  throw new Error(`${own} has no license file`);
}
