import { spawnSync } from 'node:child_process';
import { writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { root } from './prepare.js';

/*
 * The bill of materials, as CycloneDX: every package of the lock file with its version, license and
 * hash. It needs no network. Takes a path; sbom.cdx.json by default.
 */
const file = process.argv[2] ?? join(root, 'sbom.cdx.json');
const { status, stdout, stderr } = spawnSync(
  'npm',
  ['sbom', '--sbom-format', 'cyclonedx', '--package-lock-only', '--omit', 'dev'],
  { cwd: root, encoding: 'utf8', maxBuffer: 256 * 1024 * 1024 },
);
if (status !== 0) {
  console.error(stderr);
  process.exit(1);
}
const { components } = JSON.parse(stdout);
writeFileSync(file, stdout);
console.log(`${components.length} packages in ${file}`);
