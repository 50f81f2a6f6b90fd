import { spawnSync } from 'node:child_process';
import { mkdirSync, readdirSync, readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { environment, root } from './prepare.js';
import { releasedChangelog, versionFault, withImages, withVersion } from './rules/release-files.js';

/*
 * `npm run release -- VERSION`: version, changelog, API document, commit, tag, client library, command line and
 * images.
 * Nothing is pushed or published. `--no-images` leaves the images out.
 */

const [version = '', ...flags] = process.argv.slice(2);
const manifest = JSON.parse(read('package.json'));
const current = manifest.version;

const fault =
  versionFault(version, current) ??
  (output('git', ['status', '--porcelain']) && 'The work tree has changes that are not committed');
if (fault) end(fault);
const changelog = releasedChangelog(
  read('CHANGELOG.md'),
  version,
  new Date().toISOString().slice(0, 10),
);
if (!changelog) end('CHANGELOG.md has nothing under Unreleased');
run('npm', ['run', 'check']);

write('CHANGELOG.md', changelog);
for (const folder of ['', ...manifest.workspaces]) edit(join(folder, 'package.json'), versioned);
edit('package-lock.json', versioned);
const dockerfiles = readdirSync(join(root, 'docker')).filter((name) =>
  name.endsWith('.Dockerfile'),
);
const named = ['docker-compose.yml', ...dockerfiles.map((name) => join('docker', name))];
for (const file of named) edit(file, (text) => withImages(text, current, version));
run(process.execPath, ['scripts/api-changes.js', '--keep']);
mkdirSync(join(root, 'release'), { recursive: true });
run('npm', ['run', 'pack:client', '--', 'release']);
run('npm', ['run', 'pack:cli', '--', 'release']);
run('npm', ['run', 'pack:verifier', '--', 'release']);
const hasImages = !flags.includes('--no-images');
if (hasImages) run('docker', ['compose', 'build']);
run('git', ['commit', '--all', '--message', `release: ${version}`]);
run('git', ['tag', '--annotate', `v${version}`, '--message', `Tallyhand ${version}`]);
console.log(`
Tallyhand ${version} is ready. To publish it:
  git push origin HEAD v${version}
  npm publish release/tallyhand-client-${version}.tgz
  npm publish release/tallyhand-cli-${version}.tgz
  npm publish release/tallyhand-audit-verify-${version}.tgz${hasImages ? '\n  docker compose push' : ''}`);

function read(file) {
  return readFileSync(join(root, file), 'utf8');
}

function write(file, text) {
  writeFileSync(join(root, file), text);
}

function edit(file, change) {
  write(file, change(read(file)));
}

function versioned(text) {
  return withVersion(text, version, manifest.workspaces);
}

function output(program, options) {
  const { stdout } = spawnSync(program, options, { cwd: root, encoding: 'utf8' });
  return stdout.trim();
}

function run(program, options) {
  const { status } = spawnSync(program, options, {
    cwd: root,
    env: environment(),
    stdio: 'inherit',
  });
  if (status !== 0) end(`${program} ${options.join(' ')} failed`);
}

function end(reason) {
  console.error(reason);
  process.exit(1);
}
