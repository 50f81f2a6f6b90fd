import { byteOrderMark, decodeText } from './decode-text.ts';
import { ImportRefused } from './import-refused.ts';
import type { ImportKind, ImportSource } from './imported.ts';

const endings: Record<string, ImportKind> = {
  md: 'markdown',
  markdown: 'markdown',
  mdown: 'markdown',
  mkd: 'markdown',
  txt: 'text',
  text: 'text',
  html: 'html',
  htm: 'html',
  xhtml: 'html',
  pdf: 'pdf',
  docx: 'docx',
};

const types: Record<string, ImportKind> = {
  'text/markdown': 'markdown',
  'text/x-markdown': 'markdown',
  'text/plain': 'text',
  'text/html': 'html',
  'application/xhtml+xml': 'html',
  'application/pdf': 'pdf',
  'application/x-pdf': 'pdf',
  'application/vnd.openxmlformats-officedocument.wordprocessingml.document': 'docx',
};

/** Types that senders use for unknown files. */
const vagueTypes = new Set([
  '',
  'application/octet-stream',
  'binary/octet-stream',
  'application/zip',
  'application/x-zip-compressed',
]);

const kindNames: Record<ImportKind, string> = {
  markdown: 'a Markdown file',
  text: 'a text file',
  html: 'an HTML page',
  pdf: 'a PDF',
  docx: 'a Word document',
};

const accepted = 'Markdown, text, HTML, PDF and Word (.docx) files can be imported.';

type Declared = ImportKind | 'other' | null;

const isKind = (declared: Declared): declared is ImportKind =>
  declared !== null && declared !== 'other';

/**
 * What a file is: its content decides where it identifies it, else its name and type.
 * Throws ImportRefused, `unknown-kind` when they contradict each other or none identifies it.
 */
export function kindOf({ bytes, name, type }: ImportSource): ImportKind {
  const content = kindOfContent(bytes);
  const named = kindOfName(name);
  const typed: Declared = vagueTypes.has(type) ? null : (types[type] ?? 'other');
  const declared = [named, typed].filter(isKind);
  const wrong = declared.find((one) => contradicts(content, one));
  if (wrong) throw unknown(`The file is called ${kindNames[wrong]}, but its content is not.`);
  return content ?? kindOfText(named, typed);
}

/** Whether a media type does not show the kind. */
export const isVagueType = (type: string): boolean => vagueTypes.has(type);

function kindOfName(name: string): Declared {
  const ending = /\.([a-z][a-z0-9]{0,9})$/i.exec(name.trim())?.[1];
  return ending ? (endings[ending.toLowerCase()] ?? 'other') : null;
}

/** Null for text without signs of a kind. */
function kindOfContent(bytes: Uint8Array): ImportKind | null {
  const head = Buffer.from(bytes.buffer, bytes.byteOffset, Math.min(bytes.byteLength, 1024));
  if (head.includes('%PDF-')) return 'pdf';
  if (head.toString('latin1', 0, 4) === 'PK\u0003\u0004') return kindOfZip(bytes);
  if (head.toString('hex', 0, 8) === 'd0cf11e0a1b11ae1') throw oldOffice(bytes);
  if (head.toString('latin1', 0, 5) === '{\\rtf') {
    throw unknown(`Rich text files can't be read. ${accepted}`);
  }
  if (isBinary(bytes)) throw unknown(`This kind of file can't be read. ${accepted}`);
  return isHtml(bytes) ? 'html' : null;
}

function kindOfZip(bytes: Uint8Array): ImportKind {
  const all = Buffer.from(bytes.buffer, bytes.byteOffset, bytes.byteLength);
  if (all.includes('word/document')) return 'docx';
  throw unknown(`This is an archive and no Word document. ${accepted}`);
}

/** Word documents with a password are wrapped in the container of the old format. */
function oldOffice(bytes: Uint8Array): ImportRefused {
  const all = Buffer.from(bytes.buffer, bytes.byteOffset, bytes.byteLength);
  if (all.includes(Buffer.from('EncryptedPackage', 'utf16le'))) {
    return new ImportRefused('encrypted', 'The document is protected by a password.');
  }
  return unknown('This is a file of an old Office format. Save it as .docx first.');
}

/** Text has hardly any control characters; a short file may have two more. */
function isBinary(bytes: Uint8Array): boolean {
  if (byteOrderMark(bytes)?.startsWith('utf-16')) return false;
  const sample = bytes.subarray(0, 65_536);
  let controls = 0;
  for (const byte of sample) {
    if (byte < 0x20 && (byte < 0x08 || byte > 0x0d) && byte !== 0x1b) controls += 1;
  }
  return controls * 50 > sample.byteLength + 100;
}

function isHtml(bytes: Uint8Array): boolean {
  const head = decodeText(bytes.subarray(0, 4096)).text;
  const start = /^\s*(?:<\?xml[^>]*>\s*)?(?:<!--(?:(?!-->)[\s\S])*-->\s*)*/.exec(head)?.[0].length;
  return /^<(?:!doctype\s+html|html[\s>])/i.test(head.slice(start, (start ?? 0) + 20));
}

function contradicts(content: ImportKind | null, declared: ImportKind): boolean {
  return content === null ? declared === 'pdf' || declared === 'docx' : content !== declared;
}

/** Senders call Markdown and HTML plain text too, so the more exact type counts. */
function kindOfText(named: Declared, typed: Declared): ImportKind {
  const declared = [named, typed].filter(isKind);
  const exact = [...new Set(declared.filter((one) => one !== 'text'))];
  if (exact.length > 1) throw unknown("The file's name and type contradict each other.");
  const kind = exact[0] ?? declared[0];
  if (kind) return kind;
  if (named === null && typed === null) return 'text';
  throw unknown(`This kind of file can't be read. ${accepted}`);
}

const unknown = (sentence: string) => new ImportRefused('unknown-kind', sentence);
