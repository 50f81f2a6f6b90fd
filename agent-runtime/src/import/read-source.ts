import { EncodingGuessed } from '@tallyhand/contracts/features/knowledge/import-warnings';
import { declaredCharset, decodeText } from './decode-text.ts';
import { ImportRefused, refuseTooLong } from './import-refused.ts';
import type { Imported, ImportKind, ImportLimits, ImportSource, ReadDocument } from './imported.ts';
import { kindOf } from './kind.ts';
import { visibleText } from './visible-text.ts';

/**
 * The text of a file. Throws ImportRefused. The thread that runs it bounds the time and memory that
 * libraries use on hostile bytes.
 */
export async function readSource(source: ImportSource, limits: ImportLimits): Promise<Imported> {
  if (source.bytes.byteLength === 0) throw new ImportRefused('no-text', 'The file is empty.');
  const kind = kindOf(source);
  const { title, markdown, warnings } = await readKind(kind, source, limits);
  if (!/[\p{L}\p{N}]/u.test(markdown)) {
    throw new ImportRefused('no-text', 'The file contains no text.');
  }
  refuseTooLong(markdown.length, limits.charactersMax);
  const ownTitle = visibleText(title);
  const heading = firstHeading(markdown);
  // The title in front matter is the page's; headings below are often titles of parts.
  const titles = kind === 'markdown' ? [ownTitle, heading] : [heading, ownTitle];
  const otherwise = visibleText(source.titleOtherwise);
  return { title: chosenTitle(...titles, otherwise), markdown, kind, warnings };
}

/** Libraries are loaded on demand: each file has a separate thread. */
async function readKind(
  kind: ImportKind,
  source: ImportSource,
  limits: ImportLimits,
): Promise<ReadDocument> {
  const { bytes } = source;
  if (kind === 'pdf') return (await import('./pdf-file.ts')).readPdf(bytes, limits);
  if (kind === 'docx') return (await import('./docx-file.ts')).readDocx(bytes, limits);
  const charset = source.charset || (kind === 'html' ? declaredCharset(bytes) : '');
  const { text, encoding, isGuessed } = decodeText(bytes, charset);
  const read = await readText(kind, text, source.address, limits);
  if (!isGuessed) return read;
  return { ...read, warnings: [...read.warnings, EncodingGuessed({ encoding })] };
}

async function readText(
  kind: ImportKind,
  text: string,
  address: string,
  { charactersMax }: ImportLimits,
): Promise<ReadDocument> {
  if (kind === 'markdown') return readMarkdown(text);
  if (kind === 'text') return { title: '', markdown: visibleText(text), warnings: [] };
  return (await import('./html-file.ts')).readHtml(text, { address, charactersMax });
}

const titleLengthMax = 200;

/** The first that is not empty, on one line, of at most 200 characters. */
export function chosenTitle(...candidates: string[]): string {
  const titles = candidates.map((one) => one.replace(/\s+/g, ' ').trim());
  const title = titles.find((one) => one !== '') ?? 'Untitled';
  if (title.length <= titleLengthMax) return title;
  return `${title
    .slice(0, titleLengthMax - 1)
    .toWellFormed()
    .trimEnd()}…`;
}

/** The words of the first heading of a Markdown text, outside of code; empty when it has none. */
export function firstHeading(markdown: string): string {
  const lines = markdown.split('\n');
  let fence = '';
  for (const [at, line] of lines.entries()) {
    const mark = /^ {0,3}(`{3,}|~{3,})/.exec(line)?.[1] ?? '';
    if (fence !== '') {
      if (mark.startsWith(fence)) fence = '';
      continue;
    }
    if (mark !== '') {
      fence = mark;
      continue;
    }
    const heading = /^ {0,3}#{1,6}[ \t]+(\S.*)$/.exec(line)?.[1]?.replace(/[ \t]#+[ \t]*$/, '');
    const words = plainWords(heading ?? underlined(line, lines[at - 1], lines[at + 1]));
    if (words !== '') return words;
  }
  return '';
}

/** A separate line, underlined by `=` or `-`. */
function underlined(line: string, before = '', after = ''): string {
  const isOwnLine = before.trim() === '' && !/^(?: {4}|\s*(?:[-*+>|]|\d+[.)]))/.test(line);
  return isOwnLine && /^ {0,3}(?:=+|-{2,})[ \t]*$/.test(after) ? line : '';
}

function plainWords(text: string): string {
  return text
    .replace(/!?\[([^\]]*)\]\([^)]*\)/g, '$1')
    .replace(/(?<!\\)(?:\*\*|__|[*`])/g, '')
    .replace(/(?<![\\\p{L}\p{N}])_|(?<!\\)_(?![\p{L}\p{N}])/gu, '')
    .replace(/\\([\p{P}\p{S}])/gu, '$1')
    .trim();
}

const frontMatterLengthMax = 20_000;

/** Front matter is for site generators; only its title is used. */
export function readMarkdown(text: string): ReadDocument {
  const visible = visibleText(text);
  const front = frontMatterOf(visible);
  if (!front) return { title: '', markdown: visible, warnings: [] };
  return { title: titleIn(front), markdown: visible.slice(front.length).trim(), warnings: [] };
}

/** The block between two lines of `---` (YAML) or `+++` (TOML) at the very start. */
function frontMatterOf(text: string): string {
  const head = text.slice(0, frontMatterLengthMax);
  const found =
    /^---[ \t]*\n(?:[\s\S]*?\n)??(?:---|\.\.\.)[ \t]*(?:\n|$)/.exec(head) ??
    /^\+\+\+[ \t]*\n(?:[\s\S]*?\n)??\+\+\+[ \t]*(?:\n|$)/.exec(head);
  const block = found?.[0] ?? '';
  // Text between two rules has no keys.
  return /^[\w"'-]+[ \t]*[:=]/m.test(block) ? block : '';
}

function titleIn(front: string): string {
  const value = /^title[ \t]*[:=][ \t]*(.+)$/im.exec(front)?.[1]?.trim() ?? '';
  const quoted = /^(["'])(.*)\1$/.exec(value);
  if (!quoted) return /^[|>]/.test(value) ? '' : value.replace(/\s+#.*$/, '');
  const inner = quoted[2] ?? '';
  return quoted[1] === '"' ? inner.replace(/\\(["\\])/g, '$1') : inner.replaceAll("''", "'");
}
