import { spawnSync } from 'node:child_process';
import {
  existsSync,
  linkSync,
  lstatSync,
  mkdirSync,
  mkdtempSync,
  readdirSync,
  readlinkSync,
  rmSync,
  symlinkSync,
} from 'node:fs';
import { builtinModules } from 'node:module';
import { dirname, join, matchesGlob, relative } from 'node:path';
import { fileURLToPath } from 'node:url';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { dependenciesOf } from '../../../scripts/rules/imports.js';
import { composeFile, readFile, root } from '../testing/compose-file.ts';

const rootDir = fileURLToPath(root);

/**
 * The files of the services image in a separate folder, as the steps of its Dockerfile make it:
 * the production packages of the workspaces that it installs, and the folders that it copies,
 * without what .dockerignore leaves out. No container engine is needed.
 */
function servicesImage(): Disposable & { readonly folder: string } {
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

const { scripts, workspaces } = JSON.parse(readFile('package.json'));
const documents = [
  'README.md',
  'docker-compose.yml',
  ...readdirSync(new URL('docs', root))
    .filter((name) => name.endsWith('.md'))
    .map((name) => `docs/${name}`),
].map(readFile);

/** What the documents tell an operator to run, and what compose runs of the image. */
function commands(): string[] {
  const text = documents.join('\n');
  const named = [...text.matchAll(/npm run ([a-z:-]+)/g)].map(([, name = '']) => scripts[name]);
  const written = [
    ...text.matchAll(/\bstack\/src\/(?:operator\.main\.ts [a-z-]+|[a-z-]+\.main\.ts)/g),
  ].map(([path]) => path);
  const run = Object.values(composeFile().services)
    .filter(({ image }) => /^tallyhand\/(services|web)/.test(image))
    .map(({ command }) => command[1]);
  const ofStack = named.map(
    (script) => /^node ((?:stack|verifier)\/src\/[a-z-]+\.main\.ts( [a-z-]+)?)/.exec(script)?.[1],
  );
  const all = [...ofStack, ...written, ...run, 'command-service/src/main.ts'];
  return [...new Set(all.filter((path) => path !== undefined))].filter((path) => path[0] !== '-');
}

const programOf = (command: string) => command.split(' ')[0] ?? '';

/** The package of a module, as `@scope/x` of `@scope/x/y`. */
const packageOf = (module: string) => module.split('/', module.startsWith('@') ? 2 : 1).join('/');

const isOfNode = (module: string) => module.startsWith('node:') || builtinModules.includes(module);

/** Files and packages that a program imports, itself or through others, and the folder lacks. */
function missingIn(folder: string, program: string): string[] {
  const files = new Set([program]);
  const packages = new Set<string>();
  for (const file of files) {
    if (!/\.[jt]s$/.test(file) || !existsSync(join(folder, file))) continue;
    for (const { to } of dependenciesOf(folder, [file])) {
      if (workspaces.includes(to.split('/')[0])) files.add(to);
      else if (!isOfNode(to)) packages.add(join('node_modules', packageOf(to)));
    }
  }
  return [...files, ...packages].filter((path) => !existsSync(join(folder, path)));
}

/** One program of each kind, and its output without arguments. */
const EXAMPLES: readonly [command: string, says: RegExp][] = [
  ['stack/src/operator.main.ts backup', /npm run backup -- FILE/],
  ['stack/src/operator.main.ts ledger', /npm run ledger -- adjust/],
  ['stack/src/operator.main.ts rebuild', /There is no product in/],
  ['verifier/src/audit-verify.main.ts', /tallyhand-audit-verify FILE/],
  ['command-service/src/main.ts', /PUBLIC_URL is missing/],
  ['projector/src/main.ts', /EVENTSTORE_URL is missing/],
];

describe('the services image', () => {
  let image: ReturnType<typeof servicesImage>;
  beforeAll(() => {
    image = servicesImage();
  });
  afterAll(() => image?.[Symbol.dispose]());

  const run = (...args: string[]) =>
    spawnSync(process.execPath, args, {
      cwd: image.folder,
      encoding: 'utf8',
      env: { NODE_ENV: 'production', DATA_DIR: '/nonexistent' },
    });
  const outputOf = (command: string) => {
    const { stdout, stderr } = run(...command.split(' '));
    return `${stdout}${stderr}`;
  };

  it.each([...new Set(commands().map(programOf))])('has all that %s imports', (program) => {
    expect(missingIn(image.folder, program)).toEqual([]);
  });

  it.each(EXAMPLES)('starts %s', (command, says) => {
    expect(commands()).toContain(command);
    expect(outputOf(command)).toMatch(says);
  });

  it('has every command of operators that a document names', () => {
    const operator = 'stack/src/operator.main.ts';
    const named = commands().flatMap((command) =>
      command.startsWith(`${operator} `) ? [command.slice(operator.length + 1)] : [],
    );
    const known = /Name a command: (.*)\./.exec(outputOf(operator))?.[1]?.split(', ');
    expect(known).toEqual(expect.arrayContaining(named));
  });

  it('has the PostgreSQL in it that restore and move start', () => {
    const script = `const { locateBinaries } = await import('./stack/src/postgres/binaries.ts');
      console.log(locateBinaries().version);`;
    const { stdout, stderr } = run('--input-type=module', '--eval', script);
    expect(stderr).toBe('');
    expect(stdout).toMatch(/^\d+\.\d+/);
  });
});
