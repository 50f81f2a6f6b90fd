import { spawnSync } from 'node:child_process';
import { readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { root } from './prepare.js';

/**
 * A bill of materials without development packages. npm's own `--omit dev` also leaves out what
 * one workspace needs and another lists for its tests.
 *
 * @param {any} bill as npm prints it
 * @param {Record<string, any>} locked packages of the lock file
 */
export function withoutDevelopment(bill, locked) {
  const kept = new Set(
    Object.entries(locked)
      .filter(([, { dev }]) => !dev)
      .map(
        ([path, { name, version }]) => `${name ?? path.split('node_modules/').at(-1)}@${version}`,
      ),
  );
  const known = new Set(bill.components.map((component) => component['bom-ref']));
  const isKept = (ref) => !known.has(ref) || kept.has(ref);
  return {
    ...bill,
    components: bill.components.filter((component) => isKept(component['bom-ref'])),
    dependencies: bill.dependencies
      .filter(({ ref }) => isKept(ref))
      .map(({ ref, dependsOn }) => ({ ref, dependsOn: dependsOn.filter(isKept) })),
  };
}

/*
 * The bill of materials, as CycloneDX: every package of the lock file with its version, license and
 * hash. It needs no network. Takes a path; sbom.cdx.json by default.
 */
function main() {
  const file = process.argv[2] ?? join(root, 'sbom.cdx.json');
  const args = ['sbom', '--sbom-format', 'cyclonedx', '--package-lock-only'];
  const options = { cwd: root, encoding: 'utf8', maxBuffer: 256 * 1024 * 1024 };
  const { status, stdout, stderr } = spawnSync('npm', args, options);
  if (status !== 0) {
    console.error(stderr);
    process.exit(1);
  }
  const { packages } = JSON.parse(readFileSync(join(root, 'package-lock.json'), 'utf8'));
  const bill = withoutDevelopment(JSON.parse(stdout), packages);
  writeFileSync(file, JSON.stringify(bill, null, 2));
  console.log(`${bill.components.length} packages in ${file}`);
}

if (import.meta.main ?? process.argv[1] === import.meta.filename) main();
