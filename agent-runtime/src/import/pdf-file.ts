import { PagesEmpty, PagesNotRead } from '@tallyhand/contracts/features/knowledge/import-warnings';
import { getDocumentProxy } from 'unpdf';
import { ImportRefused, orBroken, refuseTooLong } from './import-refused.ts';
import { counted, type ReadDocument } from './imported.ts';
import { escapeInline, visibleText } from './visible-text.ts';

type Pdf = Awaited<ReturnType<typeof getDocumentProxy>>;

/**
 * The text of a PDF as Markdown. Throws ImportRefused: `encrypted`, `broken-file`, `no-text` for a
 * scanned document, `too-long` for too many pages or characters.
 */
export async function readPdf(
  bytes: Uint8Array,
  limits: { charactersMax: number; pagesMax: number },
): Promise<ReadDocument> {
  const pdf = await opened(bytes);
  try {
    if (pdf.numPages > limits.pagesMax) {
      const sentence = `The PDF has ${counted(pdf.numPages, 'page', 'pages')}; at most ${limits.pagesMax} are accepted.`;
      throw new ImportRefused('too-long', sentence);
    }
    return await read(pdf, limits.charactersMax);
  } finally {
    await pdf.loadingTask.destroy();
  }
}

async function opened(bytes: Uint8Array): Promise<Pdf> {
  try {
    // The library takes ownership of the bytes, and accepts no Buffer.
    return await getDocumentProxy(new Uint8Array(bytes), {
      useSystemFonts: false,
      disableFontFace: true,
      stopAtErrors: false,
      verbosity: 0,
    });
  } catch (error) {
    const name = error instanceof Error ? error.name : '';
    if (name === 'PasswordException') {
      throw new ImportRefused('encrypted', 'The PDF is protected by a password.');
    }
    // Errors caused by the bytes have such a name; anything else is a bug.
    if (!name.endsWith('Exception')) throw error;
    throw new ImportRefused('broken-file', 'The PDF is damaged and could not be read.');
  }
}

async function read(pdf: Pdf, charactersMax: number): Promise<ReadDocument> {
  const pages: PdfLine[][] = [];
  const unreadable: number[] = [];
  let length = 0;
  for (let number = 1; number <= pdf.numPages; number += 1) {
    try {
      pages.push(await linesOf(pdf, number));
    } catch {
      unreadable.push(number);
    }
    length += (pages.at(-1) ?? []).reduce((sum, line) => sum + line.text.length, 0);
  }
  if (unreadable.length === pdf.numPages) {
    throw new ImportRefused('broken-file', 'No page of the PDF could be read.');
  }
  if (length === 0) {
    const sentence = 'The PDF holds no text: it seems to be scanned, or to hold only pictures.';
    throw new ImportRefused('no-text', sentence);
  }
  refuseTooLong(length, charactersMax);
  const empty = pages.filter((lines) => lines.length === 0).length;
  return {
    title: await titleOf(pdf),
    markdown: pdfMarkdown(pages),
    warnings: [
      ...(unreadable.length > 0 ? [PagesNotRead({ count: unreadable.length })] : []),
      ...(empty > 0 ? [PagesEmpty({ count: empty })] : []),
    ],
  };
}

async function linesOf(pdf: Pdf, number: number): Promise<PdfLine[]> {
  const page = await pdf.getPage(number);
  const { items } = await page.getTextContent();
  const lines: PdfLine[] = [];
  let open: PdfLine | null = null;
  for (const item of items) {
    if (!('str' in item)) continue;
    if (item.str.trim() !== '' && open === null) {
      const [, , c = 0, d = 0, x = 0, y = 0] = item.transform as number[];
      open = { text: '', size: Math.round(Math.hypot(c, d) * 2) / 2, x, y };
    }
    if (open) open.text += item.str;
    if (!item.hasEOL || !open) continue;
    lines.push(open);
    open = null;
  }
  if (open) lines.push(open);
  page.cleanup();
  return lines
    .map((line) => ({ ...line, text: visibleText(line.text).replace(/\s+/g, ' ') }))
    .filter((line) => line.text !== '');
}

/** Programs that print to PDF write their own name, or the file's, as the title. */
async function titleOf(pdf: Pdf): Promise<string> {
  const { info } = await orBroken('The PDF is damaged.', () => pdf.getMetadata());
  const title = 'Title' in info && typeof info.Title === 'string' ? visibleText(info.Title) : '';
  return /^(?:untitled|microsoft (?:word|powerpoint) - .*|.*\.(?:docx?|pdf|indd|tex))$/i.test(title)
    ? ''
    : title;
}

/** One printed line; the `size` of its letters and its start are in points. */
type PdfLine = { text: string; size: number; x: number; y: number };

type Block = { text: string; size: number; isHeading: boolean };

const headingLengthMax = 160;
const headingLevels = 4;
/** How much larger than running text a heading is. */
const headingScale = 1.15;
const bullet = /^[•‣◦▪●○∙·⁃–]\s+/u;
const numbered = /^\d{1,3}[.)]\s+\S/;

/**
 * Paragraphs, headings (short lines in larger letters) and list items of the pages in their order.
 * Lines that repeat at the top or bottom of most pages are left out.
 */
function pdfMarkdown(pages: PdfLine[][]): string {
  const lines = withoutRunningLines(pages);
  const body = bodySize(lines.flat());
  const isHeading = ({ size, text }: PdfLine) =>
    size >= body * headingScale && text.length <= headingLengthMax;
  const blocks: Block[] = [];
  let before: PdfLine | null = null;
  for (const page of lines) {
    const gap = usualGap(page, body);
    for (const [at, line] of page.entries()) {
      const last = blocks.at(-1);
      if (last && before && goesOn(before, line, { isNewPage: at === 0, gap })) {
        last.text = joined(last.text, line.text);
      } else {
        blocks.push({ text: line.text, size: line.size, isHeading: isHeading(line) });
      }
      before = line;
    }
  }
  return markdownOf(blocks);
}

/** Whether a line belongs to the paragraph or heading of the line before it. */
function goesOn(
  before: PdfLine,
  line: PdfLine,
  { isNewPage, gap }: { isNewPage: boolean; gap: number },
): boolean {
  if (before.size !== line.size || startsItem(line.text)) return false;
  const isNewColumn = line.y > before.y + line.size;
  if (isNewPage || isNewColumn) return runsOver(before.text, line.text);
  const isIndented = line.x > before.x + line.size * 0.8;
  return !isIndented && before.y - line.y <= Math.max(gap, line.size * 1.25) * 1.35;
}

function markdownOf(blocks: Block[]): string {
  const isUnlikely = blocks.filter((block) => block.isHeading).length > blocks.length / 2;
  const hasHeadings = blocks.length > 1 && !isUnlikely;
  const sizes = [...new Set(blocks.filter((one) => one.isHeading).map((one) => one.size))];
  sizes.sort((a, b) => b - a);
  let text = '';
  let wasItem = false;
  for (const block of blocks) {
    const isItem = bullet.test(block.text) || numbered.test(block.text);
    const level = Math.min(sizes.indexOf(block.size) + 1, headingLevels);
    const isHeading = hasHeadings && block.isHeading && /[\p{L}\p{N}]/u.test(block.text);
    const separator = text === '' ? '' : isItem && wasItem && !isHeading ? '\n' : '\n\n';
    const marked = isHeading
      ? `${'#'.repeat(level)} ${escapeInline(block.text)}`
      : paragraph(block.text);
    text += separator + marked;
    wasItem = isItem && !isHeading;
  }
  return text;
}

function paragraph(text: string): string {
  if (bullet.test(text)) return `- ${escapeInline(text.replace(bullet, ''))}`;
  return escapeInline(text).replace(/^(?:#{1,6}(?=\s|$)|>|[-+](?=\s)|=+$|-{2,}$)/, '\\$&');
}

/** The size in which most characters are printed. */
function bodySize(lines: PdfLine[]): number {
  const characters = new Map<number, number>();
  for (const { size, text } of lines) {
    characters.set(size, (characters.get(size) ?? 0) + text.length);
  }
  const [most] = [...characters].sort((a, b) => b[1] - a[1] || a[0] - b[0]);
  return most?.[0] ?? 0;
}

/** The distance between the lines of a paragraph: the median of the plausible ones. */
function usualGap(page: PdfLine[], body: number): number {
  const gaps: number[] = [];
  for (const [at, line] of page.entries()) {
    const previous = page[at - 1];
    if (!previous || line.size !== body || previous.size !== body) continue;
    const gap = previous.y - line.y;
    if (gap > 0 && gap < body * 2.5) gaps.push(gap);
  }
  gaps.sort((a, b) => a - b);
  return gaps[Math.floor(gaps.length / 3)] ?? body * 1.3;
}

const startsItem = (text: string) => bullet.test(text) || numbered.test(text);

/** A sentence that did not end on its page. */
function runsOver(before: string, after: string): boolean {
  return !/[.!?:;…”"»)\]]$/.test(before) && /^\p{Ll}/u.test(after);
}

/** Joins a word that is divided at the end of a line. */
function joined(before: string, after: string): string {
  if (/\p{Ll}-$/u.test(before) && /^\p{Ll}/u.test(after)) return before.slice(0, -1) + after;
  return `${before} ${after}`;
}

/** Headers, footers and page numbers: first or last lines that are the same on most pages. */
function withoutRunningLines(pages: PdfLine[][]): PdfLine[][] {
  const counts = new Map<string, number>();
  const shape = (line: PdfLine | undefined) => line?.text.replace(/\d+/g, '#') ?? '';
  for (const page of pages) {
    for (const one of new Set([shape(page[0]), shape(page.at(-1))])) {
      counts.set(one, (counts.get(one) ?? 0) + 1);
    }
  }
  const often = Math.max(3, pages.length / 2);
  const isRunning = (line: PdfLine | undefined) => (counts.get(shape(line)) ?? 0) >= often;
  return pages.map((page) => {
    const start = isRunning(page[0]) ? 1 : 0;
    return page.slice(start, isRunning(page.at(-1)) && page.length > 1 ? -1 : undefined);
  });
}
