import { createHash } from 'node:crypto';
import { opendir, readFile, stat } from 'node:fs/promises';
import { basename, join, relative, resolve, sep } from 'node:path';
import { usageError } from '../kit/failures.ts';

/** A file to import, and what an article remembers of it. */
export type SourceFile = {
  /** Inside the folder, with slashes on every system. */
  readonly path: string;
  readonly bytes: Buffer<ArrayBuffer>;
  readonly mark: Mark;
};

/**
 * Where an article comes from. It is stored as a tag of the article, so that every machine sees it:
 * `import:SOURCE:PATH:CONTENT`, each the beginning of a SHA-256.
 */
export type Mark = { readonly source: string; readonly path: string; readonly content: string };

const FILES_MAX = 10_000;
export const FILE_BYTES_MAX = 10_000_000;
const KINDS = /\.(md|markdown|pdf|docx)$/i;
const MARK = /^import:([0-9a-f]{8}):([0-9a-f]{12}):([0-9a-f]{20})$/;

const digest = (content: string | Uint8Array, length: number) =>
  createHash('sha256').update(content).digest('hex').slice(0, length);

export const sourceMark = (source: string) => digest(source, 8);

/** A file system may spell a letter with accent in two ways. */
export const markOf = (source: string, path: string, bytes: Uint8Array): Mark => ({
  source: sourceMark(source),
  path: digest(path.normalize('NFC'), 12),
  content: digest(bytes, 20),
});

export const tagOf = ({ source, path, content }: Mark) => `import:${source}:${path}:${content}`;

export function markIn(tags: readonly string[]): Mark | null {
  for (const tag of tags) {
    const [, source, path, content] = MARK.exec(tag) ?? [];
    if (source && path && content) return { source, path, content };
  }
  return null;
}

/** The tags that people gave. */
export const ownTags = (tags: readonly string[]) => tags.filter((tag) => !MARK.test(tag));

/** The name of a folder tells its files from those of others with the same paths. */
export const sourceName = (folder: string) => basename(resolve(folder));

/** The paths of Markdown, PDF and DOCX files, in order. Hidden files and links are left out. */
export async function sourcePaths(folder: string): Promise<string[]> {
  if (!(await stat(folder)).isDirectory()) throw usageError(`${folder} is no folder.`);
  const found: string[] = [];
  const folders = [folder];
  for (let next = folders.pop(); next !== undefined; next = folders.pop()) {
    for await (const entry of await opendir(next)) {
      const path = join(next, entry.name);
      if (entry.name.startsWith('.')) continue;
      if (entry.isDirectory()) folders.push(path);
      if (entry.isFile() && KINDS.test(entry.name)) found.push(path);
    }
    if (found.length > FILES_MAX) throw usageError(`${folder} has more than ${FILES_MAX} files.`);
  }
  return found.map((path) => relative(folder, path).split(sep).join('/')).toSorted();
}

export async function readSource(
  folder: string,
  source: string,
  path: string,
): Promise<SourceFile> {
  const file = join(folder, path);
  const { size } = await stat(file);
  if (size > FILE_BYTES_MAX) throw usageError('It has more than 10 MB.');
  const bytes = await readFile(file);
  return { path, bytes, mark: markOf(source, path, bytes) };
}
