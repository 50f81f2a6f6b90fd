import { spawnSync } from 'node:child_process';
import { join } from 'node:path';
import { environment, prepare, prepareJudges, root } from './prepare.js';

const node = await prepare({ web: false });
prepareJudges('openapi');
const bin = (name) => join(root, 'node_modules', '.bin', name);

/** Each with its name, and the program with its arguments. */
const checks = [
  ['types', bin('tsc'), '-p', '.'],
  ['types of the web', bin('tsc'), '-p', 'web'],
  ['types of the client library', bin('tsc'), '-p', 'client'],
  ['types of the verifier', bin('tsc'), '-p', 'verifier'],
  ['lint and format', bin('biome'), 'check', '.'],
  ['dependency rules', node, 'scripts/dependency-rules.js'],
  ['dead code', bin('knip')],
  ['tidy', node, 'scripts/tidy.js'],
  ['API document', node, 'judges/openapi/lint.js'],
  ['API changes', node, 'scripts/api-changes.js'],
];

let failures = 0;
for (const [name, program, ...args] of checks) {
  const result = spawnSync(program, args, {
    cwd: root,
    env: environment(),
    encoding: 'utf8',
    maxBuffer: 64 * 1024 * 1024,
  });
  const isOk = result.status === 0;
  console.log(`${isOk ? 'ok    ' : 'failed'}  ${name}`);
  if (isOk) continue;
  failures += 1;
  console.log(`${result.stdout ?? ''}${result.stderr ?? ''}${result.error?.message ?? ''}`);
}
process.exitCode = failures === 0 ? 0 : 1;
