import { spawnSync } from 'node:child_process';
import { createHash } from 'node:crypto';
import { existsSync, mkdirSync, readdirSync, readFileSync, writeFileSync } from 'node:fs';
import { delimiter, dirname, join } from 'node:path';
import { fileURLToPath } from 'node:url';

/** The folder of the project. */
export const root = fileURLToPath(new URL('../', import.meta.url));

const binDir = join(root, 'node_modules', '.bin');
const installStamp = join(root, 'node_modules', '.tallyhand-install');
const webStamp = join(root, 'web', 'dist', '.stamp');
const nodeMajorNeeded = 24;

/**
 * Makes the project ready to run: installs the packages of the lock file if others are installed,
 * and, with `web`, builds the pages if their sources changed. Returns the path of the Node to run
 * with. This and all scripts here are plain JavaScript without dependencies, because they run on
 * the system's Node before anything is installed.
 *
 * @param {{ web: boolean }} options
 * @returns {Promise<string>}
 */
export async function prepare({ web }) {
  if (Number(process.versions.node.split('.')[0]) < 20) {
    fail(`Tallyhand needs Node 20 or newer to start; this is ${process.versions.node}.`);
  }
  install();
  const node = pickNode();
  if (web) buildWeb(node);
  return node;
}

/**
 * The environment in which the project's own programs are found first, and compiled code is
 * kept: a process that starts again then needs neither the time nor the memory of compiling.
 */
export function environment() {
  const path = `${binDir}${delimiter}${process.env.PATH ?? ''}`;
  return { ...process.env, PATH: path, NODE_COMPILE_CACHE: compileCache };
}

export const compileCache = join(root, '.cache', 'node');

function install() {
  if (isInstalled()) return;
  console.log('Installing packages; this takes a minute the first time.');
  run(npm(), ['ci', '--no-audit', '--no-fund'], root, 'The packages could not be installed.');
  writeFileSync(installStamp, lockHash());
}

/**
 * The stamp holds the hash of the lock file that was installed. An installation without it (npm
 * was called by hand) is compared with the lock file, package by package.
 */
function isInstalled() {
  const inner = join(root, 'node_modules', '.package-lock.json');
  if (!existsSync(inner)) return false;
  const hash = lockHash();
  if (existsSync(installStamp) && readFileSync(installStamp, 'utf8') === hash) return true;
  const wanted = JSON.parse(readFileSync(join(root, 'package-lock.json'), 'utf8')).packages;
  const installed = JSON.parse(readFileSync(inner, 'utf8')).packages;
  for (const [path, { version, optional, integrity }] of Object.entries(wanted)) {
    if (path === '' || (optional && !installed[path])) continue;
    const found = installed[path];
    if (!found || found.version !== version || found.integrity !== integrity) return false;
  }
  writeFileSync(installStamp, hash);
  return true;
}

function lockHash() {
  return hashOf([join(root, 'package-lock.json')]);
}

/** npm's own program when npm runs this script: the one in the PATH may be another. */
function npm() {
  const { npm_execpath: program = '', npm_node_execpath: node } = process.env;
  return node && program.endsWith('npm-cli.js') ? [node, program] : ['npm'];
}

function pickNode() {
  const own = join(binDir, 'node');
  if (existsSync(own) && majorOf(own) >= nodeMajorNeeded) return own;
  if (Number(process.versions.node.split('.')[0]) >= nodeMajorNeeded) return process.execPath;
  const system = majorOf('node');
  if (system >= nodeMajorNeeded) return 'node';
  return fail(
    `Tallyhand runs on Node ${nodeMajorNeeded} or newer, and npm carries none for ` +
      `${process.platform}-${process.arch}: install Node ${nodeMajorNeeded}, then start again.`,
  );
}

function majorOf(node) {
  if (node === process.execPath) return Number(process.versions.node.split('.')[0]);
  const { stdout } = spawnSync(node, ['--version'], { encoding: 'utf8', timeout: 10_000 });
  return Number(/^v(\d+)\./.exec(stdout ?? '')?.[1] ?? 0);
}

function buildWeb(node) {
  const hash = hashOf([
    join(root, 'package-lock.json'),
    ...filesIn(join(root, 'web'), ['dist', 'node_modules']),
    ...filesIn(join(root, 'contracts', 'src'), []),
  ]);
  if (existsSync(webStamp) && readFileSync(webStamp, 'utf8') === hash) return;
  console.log('Building the web pages.');
  const vite = join(root, 'node_modules', 'vite', 'bin', 'vite.js');
  run([node], [vite, 'build'], join(root, 'web'), 'The web pages could not be built.');
  mkdirSync(dirname(webStamp), { recursive: true });
  writeFileSync(webStamp, hash);
}

/** Tests are not part of the build. */
function filesIn(dir, without) {
  return readdirSync(dir, { withFileTypes: true }).flatMap((entry) => {
    const path = join(dir, entry.name);
    if (entry.isDirectory()) return without.includes(entry.name) ? [] : filesIn(path, []);
    return entry.isFile() && !/\.test\.tsx?$/.test(entry.name) ? [path] : [];
  });
}

function hashOf(files) {
  const hash = createHash('sha256');
  for (const file of files.toSorted()) {
    hash
      .update(`${file.slice(root.length)}\0`)
      .update(readFileSync(file))
      .update('\0');
  }
  return hash.digest('hex');
}

/** Runs to its end in silence; on failure prints its output and exits. */
function run([program, ...first], args, cwd, fault) {
  const result = spawnSync(program, [...first, ...args], {
    cwd,
    env: environment(),
    encoding: 'utf8',
    stdio: ['ignore', 'pipe', 'pipe'],
    maxBuffer: 64 * 1024 * 1024,
  });
  if (result.status === 0) return;
  // Ctrl-C reaches the program as well, and needs no explanation.
  if (result.signal === 'SIGINT') process.exit(130);
  process.stderr.write(`${result.stdout ?? ''}${result.stderr ?? ''}`);
  fail(`${fault} (${result.error?.message ?? `exit code ${result.status ?? result.signal}`})`);
}

/** @returns {never} */
function fail(message) {
  console.error(message);
  process.exit(1);
}
