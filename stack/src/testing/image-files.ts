import { spawnSync } from 'node:child_process';
import {
  linkSync,
  lstatSync,
  mkdirSync,
  mkdtempSync,
  readdirSync,
  readlinkSync,
  rmSync,
  symlinkSync,
} from 'node:fs';
import { dirname, join, matchesGlob, relative } from 'node:path';
import { fileURLToPath } from 'node:url';
import { readFile, root } from './compose-file.ts';

const rootDir = fileURLToPath(root);

/**
 * The files of the services image in a separate folder, as the steps of its Dockerfile make it:
 * the production packages of the workspaces that it installs, and the folders that it copies,
 * without what .dockerignore leaves out. No container engine is needed.
 */
export function servicesImage(): Disposable & { readonly folder: string } {
  const stages = stagesOf(readFile('docker/services.Dockerfile'));
  const manifests = stages.get('manifests') ?? '';
  const packages = stages.get('packages') ?? '';
  const services = stages.get('services') ?? '';
  // Beside the packages, for they are linked and not copied.
  mkdirSync(join(rootDir, '.cache'), { recursive: true });
  const folder = mkdtempSync(join(rootDir, '.cache', 'image-'));
  const removed = (/rm -rf (.*)/.exec(packages)?.[1] ?? '').split(' ');
  for (const source of copied(manifests)) link(source, folder, () => true);
  for (const path of installed(packages)) {
    if (!removed.some((pattern) => isBelow(path, pattern))) install(path, folder);
  }
  const ignored = readFile('.dockerignore')
    .split('\n')
    .filter((line) => /^[^#]/.test(line));
  for (const source of copied(services)) {
    link(source, folder, (path) => !ignored.some((pattern) => isBelow(path, pattern)));
  }
  return { folder, [Symbol.dispose]: () => rmSync(folder, { recursive: true }) };
}

/** By their names, each with its instructions on one line each. */
function stagesOf(dockerfile: string): Map<string, string> {
  const joined = dockerfile.replaceAll(/\\\n\s*/g, ' ');
  const stages = joined.split(/^FROM /m).slice(1);
  return new Map(stages.map((stage) => [/^\S+ AS (\S+)/.exec(stage)?.[1] ?? '', stage]));
}

/** The paths that a stage copies from the project, each to where it was. */
function copied(stage: string): string[] {
  const copies = [...stage.matchAll(/^COPY (?!--from)(.+) (\S+)$/gm)];
  return copies.flatMap(([, sources = '']) => sources.split(' '));
}

/** Where npm has the packages, in production, of the workspaces that the stage installs. */
function installed(stage: string): string[] {
  const workspaces = [...stage.matchAll(/ -w (\S+)/g)].flatMap(([, name = '']) => ['-w', name]);
  const args = ['ls', '--omit=dev', '--all', '--parseable', ...workspaces];
  const { stdout } = spawnSync('npm', args, { cwd: rootDir, encoding: 'utf8' });
  return stdout
    .split('\n')
    .map((path) => relative(rootDir, path))
    .filter((path) => path !== '' && !path.startsWith('..'));
}

function install(path: string, folder: string): void {
  if (path.includes('node_modules/')) {
    link(path, folder, isOfPackage(path));
    return;
  }
  const place = join(folder, 'node_modules', '@tallyhand', path);
  mkdirSync(dirname(place), { recursive: true });
  symlinkSync(relative(dirname(place), join(folder, path)), place);
}

/** Packages inside it are listed by themselves. */
const isOfPackage = (path: string) => (file: string) =>
  !file.slice(path.length).includes('/node_modules');

function isBelow(path: string, pattern: string): boolean {
  return pattern !== '' && (matchesGlob(path, pattern) || matchesGlob(path, `${pattern}/**`));
}

function link(path: string, folder: string, isWanted: (path: string) => boolean): void {
  if (!isWanted(path)) return;
  const from = join(rootDir, path);
  const to = join(folder, path);
  const stats = lstatSync(from, { throwIfNoEntry: false });
  if (stats === undefined) return;
  if (stats.isDirectory()) {
    mkdirSync(to, { recursive: true });
    for (const name of readdirSync(from)) link(join(path, name), folder, isWanted);
  } else {
    mkdirSync(dirname(to), { recursive: true });
    if (stats.isSymbolicLink()) symlinkSync(readlinkSync(from), to);
    else if (lstatSync(to, { throwIfNoEntry: false }) === undefined) linkSync(from, to);
  }
}
