import { EncodingGuessed } from '@tallyhand/contracts/features/knowledge/import-warnings';
import { declaredCharset, decodeText } from './decode-text.ts';
import { ImportRefused } from './import-refused.ts';
import type { Imported, ImportKind, ImportLimits, ImportSource, ReadDocument } from './imported.ts';
import { kindOf } from './kind.ts';
import { readMarkdown } from './markdown-file.ts';
import { chosenTitle, firstHeading } from './title.ts';
import { refuseTooLong } from './too-long.ts';
import { visibleText } from './visible-text.ts';

/**
 * The text of a file. Throws ImportRefused. It trusts the libraries with any bytes: what they do
 * with time and memory is bounded by the thread that runs it.
 */
export async function readSource(source: ImportSource, limits: ImportLimits): Promise<Imported> {
  if (source.bytes.byteLength === 0) throw new ImportRefused('no-text', 'The file is empty.');
  const kind = kindOf(source);
  const { title, markdown, warnings } = await readKind(kind, source, limits);
  if (!/[\p{L}\p{N}]/u.test(markdown)) {
    throw new ImportRefused('no-text', 'The file holds no text.');
  }
  refuseTooLong(markdown.length, limits.charactersMax);
  const ownTitle = visibleText(title);
  const heading = firstHeading(markdown);
  // The title in front matter is the page's; headings below it are often only its parts.
  const titles = kind === 'markdown' ? [ownTitle, heading] : [heading, ownTitle];
  const otherwise = visibleText(source.titleOtherwise);
  return { title: chosenTitle(...titles, otherwise), markdown, kind, warnings };
}

/** Libraries are loaded when they are needed: each file has a thread that starts without them. */
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
