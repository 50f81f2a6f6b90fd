import type { Readable } from 'node:stream';
import mammoth from 'mammoth';
import { type Entry, fromBufferPromise, type ZipFile } from 'yauzl';
import { readHtml } from './html-file.ts';
import { ImportRefused, orBroken } from './import-refused.ts';
import type { ReadDocument } from './imported.ts';

const propertiesName = 'docProps/core.xml';

const styleMap = [
  "p[style-name='Title'] => h1:fresh",
  "p[style-name='Quote'] => blockquote > p:fresh",
  "p[style-name='Intense Quote'] => blockquote > p:fresh",
  "p[style-name='HTML Preformatted'] => pre:separator('\\n')",
  "p[style-name='Preformatted Text'] => pre:separator('\\n')",
];

/**
 * The text of a Word document as Markdown. Throws ImportRefused: `bomb`, `encrypted`, `too-long`,
 * `broken-file`.
 */
export async function readDocx(
  bytes: Uint8Array,
  limits: { charactersMax: number },
): Promise<ReadDocument> {
  const sentence = 'The Word document is damaged and could not be read.';
  const properties = await orBroken(sentence, () => checkZip(bytes, propertiesName));
  const html = await orBroken(sentence, () => htmlOf(bytes));
  const read = await readHtml(html, { address: '', charactersMax: limits.charactersMax });
  return { ...read, title: titleIn(properties?.toString('utf8') ?? '') };
}

async function htmlOf(bytes: Uint8Array): Promise<string> {
  const { value } = await mammoth.convertToHtml(
    { buffer: Buffer.from(bytes.buffer, bytes.byteOffset, bytes.byteLength) },
    {
      styleMap,
      includeEmbeddedStyleMap: false,
      externalFileAccess: false,
      // Image descriptions are kept; the bytes of images are not read.
      convertImage: mammoth.images.imgElement(async () => ({ src: '' })),
    },
  );
  return value;
}

function titleIn(properties: string): string {
  const title = /<dc:title>([^<]{1,1000})<\/dc:title>/.exec(properties)?.[1] ?? '';
  const named: Record<string, string> = { lt: '<', gt: '>', quot: '"', apos: "'", amp: '&' };
  return title.replace(/&(lt|gt|quot|apos|amp);/g, (all, name: string) => named[name] ?? all);
}

const entriesMax = 3_000;
const unpackedBytesMax = 100_000_000;
/** Text in XML shrinks to a tenth, and long empty tables to a hundredth. */
const ratioMax = 250;
/** Small files may shrink without limit. */
const ratioBytesMin = 2_000_000;

/**
 * Checks an archive before it is unpacked: first its directory, then that the contents are not
 * larger. Returns the contents of the entry named `wanted`, or null. Throws ImportRefused: `bomb`,
 * `encrypted`. Any other error means that the archive is broken.
 */
async function checkZip(bytes: Uint8Array, wanted: string): Promise<Buffer | null> {
  const buffer = Buffer.from(bytes.buffer, bytes.byteOffset, bytes.byteLength);
  const zip = await fromBufferPromise(buffer, { lazyEntries: true, validateEntrySizes: true });
  if (zip.entryCount > entriesMax) throw bomb(`more than ${entriesMax} parts`);
  const entries = await Array.fromAsync(zip.eachEntry());
  checkDirectory(entries);
  let found: Buffer | null = null;
  for (const entry of entries) {
    const contents = await contentsOf(zip, entry, entry.fileName === wanted);
    found = contents ?? found;
  }
  return found;
}

function checkDirectory(entries: Entry[]): void {
  let unpacked = 0;
  for (const entry of entries) {
    if (entry.isEncrypted()) {
      throw new ImportRefused('encrypted', 'The document is protected by a password.');
    }
    const { uncompressedSize, compressedSize } = entry;
    unpacked += uncompressedSize;
    if (unpacked > unpackedBytesMax) throw bomb('contents far larger than the file');
    if (uncompressedSize > ratioBytesMin && uncompressedSize > compressedSize * ratioMax) {
      throw bomb('contents far larger than the file');
    }
  }
}

/** Reads an entry to its end; the reader fails when it is larger than declared. */
async function contentsOf(zip: ZipFile, entry: Entry, isWanted: boolean): Promise<Buffer | null> {
  const stream: Readable = await zip.openReadStreamPromise(entry);
  const chunks: Buffer[] = [];
  try {
    for await (const chunk of stream) if (isWanted) chunks.push(chunk as Buffer);
  } catch (error) {
    const isLarger = error instanceof Error && error.message.startsWith('too many bytes');
    throw isLarger ? bomb('contents larger than it says') : error;
  }
  return isWanted ? Buffer.concat(chunks) : null;
}

const bomb = (what: string) =>
  new ImportRefused('bomb', `The document has ${what} and was not opened.`);
