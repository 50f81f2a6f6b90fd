import { mkdir, readdir, readFile, rm, stat, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { usageError } from '../kit/failures.ts';
import { folderOf, type Item, KINDS, type Kind } from './kinds.ts';
import { type Fault, faultLine, type ReadFile, readYaml, writeYaml } from './yaml-file.ts';

const FILE_BYTES_MAX = 4 * 1024 * 1024;
const SLUG_MAX = 60;

/** All files of a folder. Throws with every fault in any of them. */
export async function readFolder(folder: string): Promise<ReadFile[]> {
  const isFolder = (await stat(folder)).isDirectory();
  if (!isFolder) throw usageError(`${folder} is no folder.`);
  const read = (await Promise.all(KINDS.map((kind) => readKind(folder, kind)))).flat();
  const files = read.filter((one): one is ReadFile => !Array.isArray(one));
  const faults = [...read.filter(Array.isArray).flat(), ...sharedNames(files)];
  if (faults.length > 0) throw usageError(faultsText(faults));
  if (files.length === 0) {
    const folders = KINDS.map(folderOf).join(', ');
    throw usageError(`${folder} has no YAML files in the folders ${folders}.`);
  }
  return files;
}

export const faultsText = (faults: readonly Fault[]) =>
  `Nothing was changed, because of faults in the files.\n${faults.map(faultLine).join('\n')}`;

async function readKind(folder: string, kind: Kind): Promise<(ReadFile | Fault[])[]> {
  const names = await yamlFiles(join(folder, folderOf(kind)));
  return Promise.all(
    names.map(async (name) => {
      const path = join(folder, folderOf(kind), name);
      const { size } = await stat(path);
      if (size > FILE_BYTES_MAX) return [{ file: path, line: 1, message: 'larger than 4 MB' }];
      return readYaml(kind, path, await readFile(path, 'utf8'));
    }),
  );
}

async function yamlFiles(folder: string): Promise<string[]> {
  const entries = await readdir(folder).catch((error: NodeJS.ErrnoException) => {
    if (error.code === 'ENOENT') return [];
    throw error;
  });
  return entries.filter((name) => /^[^.].*\.ya?ml$/i.test(name)).toSorted();
}

function sharedNames(files: readonly ReadFile[]): Fault[] {
  const first = new Map<string, ReadFile>();
  return files.flatMap((one) => {
    const { kind, name } = one.item;
    const key = `${kind} ${name}`;
    const other = first.get(key);
    if (!other) first.set(key, one);
    const line = one.lineOf(kind === 'article' || kind === 'playbook' ? 'title' : 'name');
    const message = `the ${kind} "${name}" is also in ${other?.file}`;
    return other ? [{ file: one.file, line, message }] : [];
  });
}

export type Written = { readonly files: string[]; readonly left: string[] };

/**
 * Writes each item to its file. An item that a file describes already keeps that file; files of
 * items that are no longer there are deleted with `prune`, and returned as `left` otherwise.
 */
export async function writeFolder(
  folder: string,
  items: readonly Item[],
  prune: boolean,
): Promise<Written> {
  const existing = await existingFiles(folder);
  const taken = new Set([...existing.values()].map((path) => path.toLowerCase()));
  const files: string[] = [];
  for (const kind of KINDS) {
    const own = items.filter((item) => item.kind === kind);
    if (own.length > 0) await mkdir(join(folder, folderOf(kind)), { recursive: true });
    for (const item of own) {
      const path = existing.get(`${kind} ${item.name}`) ?? freePath(folder, item, taken);
      await writeFile(path, writeYaml(item));
      files.push(path);
    }
  }
  const left = [...existing.values()].filter((path) => !files.includes(path));
  if (prune) for (const path of left) await rm(path);
  return { files, left };
}

/** The files that are there, by kind and name. Those that can't be read are in the way. */
async function existingFiles(folder: string): Promise<Map<string, string>> {
  const isThere = await stat(folder).catch(() => null);
  if (!isThere) return new Map();
  const names = await Promise.all(KINDS.map((kind) => yamlFiles(join(folder, folderOf(kind)))));
  if (names.flat().length === 0) return new Map();
  const files = await readFolder(folder);
  return new Map(files.map(({ file, item }) => [`${item.kind} ${item.name}`, file]));
}

function freePath(folder: string, { kind, name }: Item, taken: Set<string>): string {
  const slug = slugOf(name) || kind;
  for (let count = 1; ; count += 1) {
    const path = join(folder, folderOf(kind), `${slug}${count === 1 ? '' : `-${count}`}.yaml`);
    if (taken.has(path.toLowerCase())) continue;
    taken.add(path.toLowerCase());
    return path;
  }
}

/** A file name from a name: letters and digits of any language, and nothing that leads elsewhere. */
export const slugOf = (name: string): string =>
  [
    ...name
      .normalize('NFC')
      .toLowerCase()
      .replace(/[^\p{L}\p{N}]+/gu, '-'),
  ]
    .slice(0, SLUG_MAX)
    .join('')
    .replace(/^-+|-+$/g, '');
