import { PagesEmpty, PagesNotRead } from '@tallyhand/contracts/features/knowledge/import-warnings';
import { getDocumentProxy } from 'unpdf';
import { ImportRefused, orBroken } from './import-refused.ts';
import { counted, type ReadDocument } from './imported.ts';
import { type PdfLine, pdfMarkdown } from './pdf-layout.ts';
import { refuseTooLong } from './too-long.ts';
import { visibleText } from './visible-text.ts';

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
    // The library takes the bytes over, and takes no Buffer.
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

/** Programs that print to PDF write their own name or the file's into the title. */
async function titleOf(pdf: Pdf): Promise<string> {
  const { info } = await orBroken('The PDF is damaged.', () => pdf.getMetadata());
  const title = 'Title' in info && typeof info.Title === 'string' ? visibleText(info.Title) : '';
  return /^(?:untitled|microsoft (?:word|powerpoint) - .*|.*\.(?:docx?|pdf|indd|tex))$/i.test(title)
    ? ''
    : title;
}
