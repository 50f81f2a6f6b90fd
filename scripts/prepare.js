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
/** How much of the lock file is installed: without development packages, or with them. */
const PRODUCT = ' product';
const ALL = ' all';

/**
 * Makes the project ready to run: installs the packages of the lock file unless they are
 * installed, and builds the client library, the command line and the verifier of audit exports, and
 * with `web` the pages, if their sources changed. `development` also installs what only tests and
 * checks need. Returns the path of the Node to run with. All scripts here are plain JavaScript without
 * dependencies, because they run on the system's Node before anything is installed.
 *
 * @param {{ web: boolean, development?: boolean }} options
 * @returns {Promise<string>}
 */
export async function prepare({ web, development = true }) {
  if (Number(process.versions.node.split('.')[0]) < 20) {
    fail(`Tallyhand needs Node 20 or newer to start; this is ${process.versions.node}.`);
  }
  install(development);
  const node = pickNode();
  buildClient(node);
  buildCli(node);
  buildVerifier(node);
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

/** Packages that are there stay: the product may be running on them. */
function install(development) {
  // A checkout that had the development packages keeps them when the lock file changes.
  const wanted = development || readStamp().endsWith(ALL) ? ALL : PRODUCT;
  if (isInstalled(wanted)) return;
  console.log('Installing packages; this takes a minute the first time.');
  const options = [wanted === ALL ? '--include=dev' : '--omit=dev', '--no-audit', '--no-fund'];
  const fault = 'The packages could not be installed.';
  if (wanted === ALL && isInstalled(PRODUCT)) {
    run(npm(), ['install', '--no-save', ...options], root, fault);
    if (isInstalled(ALL)) return;
  }
  run(npm(), ['ci', ...options], root, fault);
  writeStamp(wanted);
}

/**
 * The stamp holds the hash of the lock file that was installed, and how much of it. An installation
 * that another stamp or none belongs to is compared with the lock file, package by package.
 */
function isInstalled(wanted) {
  const inner = join(root, 'node_modules', '.package-lock.json');
  if (!existsSync(inner)) return false;
  const stamp = readStamp();
  const hash = lockHash();
  if (stamp === hash + wanted || stamp === hash + ALL) return true;
  const locked = JSON.parse(readFileSync(join(root, 'package-lock.json'), 'utf8')).packages;
  const installed = JSON.parse(readFileSync(inner, 'utf8')).packages;
  if (!isComplete(locked, installed, { development: wanted === ALL })) return false;
  writeStamp(wanted);
  return true;
}

/**
 * True if what is installed is what the lock file says. Optional packages may be absent: most are
 * for other platforms.
 *
 * @param {Record<string, Record<string, unknown>>} locked packages of the lock file
 * @param {Record<string, Record<string, unknown>>} installed what npm says is there
 * @param {{ development: boolean }} options
 */
export function isComplete(locked, installed, { development }) {
  return Object.entries(locked).every(([path, wanted]) => {
    const found = installed[path];
    const { version, integrity, optional, devOptional, dev } = wanted;
    if (path === '') return true;
    if (!found) return Boolean(optional || devOptional || (dev && !development));
    return found.version === version && found.integrity === integrity;
  });
}

const readStamp = () => (existsSync(installStamp) ? readFileSync(installStamp, 'utf8') : '');
const writeStamp = (extent) => writeFileSync(installStamp, lockHash() + extent);

/**
 * Installs tools that judge the product, and its rivals: most tasks need none of them. They have
 * separate lock files, in `judges` and in its folders.
 *
 * @param {string} [part] a folder of `judges`
 */
export function prepareJudges(part = '.') {
  const folder = join(root, 'judges', part);
  const stamp = join(folder, 'node_modules', '.stamp');
  const hash = hashOf([join(folder, 'package-lock.json')]);
  if (existsSync(stamp) && readFileSync(stamp, 'utf8') === hash) return;
  console.log('Installing the tools of judges; this takes a minute the first time.');
  const fault = 'The tools of judges could not be installed.';
  run(npm(), ['ci', '--no-audit', '--no-fund'], folder, fault);
  writeFileSync(stamp, hash);
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

/** What a build writes. */
const WITHOUT = ['built', 'dist', 'generated', 'node_modules'];

function buildWeb(node) {
  const hash = hashOf([
    join(root, 'package-lock.json'),
    ...filesIn(join(root, 'web'), ['dist', 'node_modules']),
    ...filesIn(join(root, 'contracts', 'src'), []),
    join(root, 'docs', 'threat-model.md'),
    // The pages show the pictures and the film, and offer the packages.
    ...['images', 'film'].flatMap((name) => filesIn(join(root, 'docs', name), [])),
    join(root, 'scripts', 'tarball.js'),
    join(root, 'verifier', 'dist', '.stamp'),
    ...['client', 'cli'].flatMap((name) => filesIn(join(root, name), WITHOUT)),
  ]);
  if (existsSync(webStamp) && readFileSync(webStamp, 'utf8') === hash) return;
  console.log('Building the web pages.');
  const vite = join(root, 'node_modules', 'vite', 'bin', 'vite.js');
  run([node], [vite, 'build'], join(root, 'web'), 'The web pages could not be built.');
  mkdirSync(dirname(webStamp), { recursive: true });
  writeFileSync(webStamp, hash);
}

/** The client library: its calls and types are generated from the contracts, then compiled. */
function buildClient(node) {
  const client = join(root, 'client');
  const hash = hashOf([
    join(root, 'package-lock.json'),
    ...filesIn(client, WITHOUT),
    ...filesIn(join(root, 'contracts', 'src'), []),
  ]);
  const built = join(client, 'dist', 'tallyhand.js');
  const stamp = join(client, 'src', 'generated', '.stamp');
  if (existsSync(built) && existsSync(stamp) && readFileSync(stamp, 'utf8') === hash) return;
  console.log('Building the client library.');
  const program = join(client, 'src', 'generator', 'build.main.ts');
  run([node], [program], client, 'The client library could not be built.');
  writeFileSync(stamp, hash);
}

/** The command line, bundled with the client library and all else that it imports. */
function buildCli(node) {
  const cli = join(root, 'cli');
  const hash = hashOf([
    join(root, 'package-lock.json'),
    join(root, 'client', 'src', 'generated', '.stamp'),
    ...filesIn(cli, WITHOUT),
    ...filesIn(join(root, 'service-kit', 'src'), []),
  ]);
  const stamp = join(cli, 'dist', '.stamp');
  if (existsSync(stamp) && readFileSync(stamp, 'utf8') === hash) return;
  console.log('Building the command line.');
  run([node], [join(cli, 'bundle.js')], cli, 'The command line could not be built.');
  writeFileSync(stamp, hash);
}

/** The verifier of audit exports: a command in one file, and a page in one file. */
function buildVerifier(node) {
  const verifier = join(root, 'verifier');
  const hash = hashOf([
    join(root, 'package-lock.json'),
    join(root, 'web', 'public', 'favicon.svg'),
    join(root, 'web', 'src', 'ui', 'tokens.css'),
    ...filesIn(verifier, WITHOUT),
    ...filesIn(join(root, 'contracts', 'src', 'kernel'), []),
    ...filesIn(join(root, 'service-kit', 'src'), []),
  ]);
  const stamp = join(verifier, 'dist', '.stamp');
  if (existsSync(stamp) && readFileSync(stamp, 'utf8') === hash) return;
  console.log('Building the verifier of audit exports.');
  const fault = 'The verifier could not be built.';
  run([node], [join(verifier, 'bundle.js')], verifier, fault);
  writeFileSync(stamp, hash);
}

/** Tests are not part of the build. */
function filesIn(dir, without) {
  return readdirSync(dir, { withFileTypes: true }).flatMap((entry) => {
    const path = join(dir, entry.name);
    if (entry.isDirectory()) return without.includes(entry.name) ? [] : filesIn(path, without);
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
