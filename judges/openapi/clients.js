import { spawnSync } from 'node:child_process';
import { writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { prepareJudges } from '../../scripts/prepare.js';

/*
 * `clients.js DOCUMENT FOLDER`: three generators make a client of the API document each, and the
 * TypeScript compiler checks them under `strict`, with all other programs in the folder. What it
 * compiled is in `built`.
 */
const [document = '', folder = ''] = process.argv.slice(2);
prepareJudges('openapi');
const bin = fileURLToPath(new URL('node_modules/.bin/', import.meta.url));

const compilerOptions = {
  strict: true,
  outDir: 'built',
  module: 'nodenext',
  target: 'es2022',
  lib: ['es2023', 'dom', 'dom.iterable'],
  // What TypeScript brings itself is not judged.
  skipDefaultLibCheck: true,
  types: [],
};

run('openapi-typescript', [document, '-o', join(folder, 'types', 'api.ts')]);
run('openapi-ts', ['-i', document, '-o', join(folder, 'hey-api')]);
run('orval', [
  '--input',
  document,
  '--output',
  join(folder, 'orval', 'api.ts'),
  '--client',
  'fetch',
]);
// The generated modules leave out the extensions of their imports, which ES modules can't.
writeFileSync(join(folder, 'package.json'), JSON.stringify({ type: 'commonjs' }));
writeFileSync(join(folder, 'tsconfig.json'), JSON.stringify({ compilerOptions }));
run('tsc', ['-p', folder]);

function run(tool, options) {
  const { status, stdout, stderr } = spawnSync(process.execPath, [join(bin, tool), ...options], {
    cwd: folder,
    encoding: 'utf8',
  });
  if (status === 0) return;
  console.log(`${tool} failed\n${stdout}${stderr}`);
  process.exit(1);
}
