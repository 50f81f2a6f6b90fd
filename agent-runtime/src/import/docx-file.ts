import mammoth from 'mammoth';
import { readHtml } from './html-file.ts';
import { orBroken } from './import-refused.ts';
import type { ReadDocument } from './imported.ts';
import { checkZip } from './zip-check.ts';

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
      // The words that describe an image are kept, its bytes are not even read.
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
