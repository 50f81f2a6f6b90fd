import { createHash } from 'node:crypto';
import { existsSync } from 'node:fs';
import { readdir, readFile } from 'node:fs/promises';
import type { IncomingHttpHeaders } from 'node:http';
import { extname, join } from 'node:path';
import { brotliCompressSync, constants, gzipSync } from 'node:zlib';
import { chosenEncoding } from '@tallyhand/service-kit/http/compression';
import type { FastifyReply, FastifyRequest } from 'fastify';

/**
 * The folder of files that contain their own address: pages with their heads, robots.txt,
 * sitemap.xml.
 */
export const PAGES = 'pages';
/** The build's placeholder for the address that only the operator knows. */
const ORIGIN = '%PUBLIC_URL%';
const TYPES: Readonly<Record<string, string>> = {
  '.html': 'text/html; charset=utf-8',
  '.txt': 'text/plain; charset=utf-8',
  '.xml': 'application/xml; charset=utf-8',
};

export type WebPage = {
  readonly type: string;
  readonly etag: string;
  readonly bytes: Readonly<Record<'br' | 'gzip' | 'identity', Buffer>>;
};

/** The build's files for public addresses, by path, with the product's own address in them. */
export async function readWebPages(
  folder: string,
  publicUrl: string,
): Promise<ReadonlyMap<string, WebPage>> {
  const pages = join(folder, PAGES);
  const files = existsSync(pages) ? await readdir(pages) : [];
  const { origin } = new URL(publicUrl);
  const read = files.map(async (file): Promise<[string, WebPage][]> => {
    const type = TYPES[extname(file)];
    if (!type) return [];
    const text = (await readFile(join(pages, file), 'utf8')).replaceAll(ORIGIN, origin);
    const path = `/${file.replace(/\.html$/, '')}`;
    return [[path === '/index' ? '/' : path, webPage(type, Buffer.from(text))]];
  });
  return new Map((await Promise.all(read)).flat());
}

/** The page for every address without one of its own. */
export const readAppPage = async (folder: string) =>
  webPage(TYPES['.html'] ?? '', await readFile(join(folder, 'index.html')));

/** Hardly larger than at the best quality, in a hundredth of its time, which each start would take. */
const BROTLI = { params: { [constants.BROTLI_PARAM_QUALITY]: 6 } };

const webPage = (type: string, identity: Buffer): WebPage => ({
  type,
  etag: `W/"${createHash('sha256').update(identity).digest('base64url')}"`,
  bytes: { identity, br: brotliCompressSync(identity, BROTLI), gzip: gzipSync(identity) },
});

/** Sent like a file: revalidated each time, compressed if the caller accepts it. */
export function sendWebPage({ headers }: FastifyRequest, reply: FastifyReply, page: WebPage) {
  const { etag } = page;
  reply.headers({ 'cache-control': 'no-cache', vary: 'accept-encoding', etag });
  if (headers['if-none-match'] === etag) return reply.code(304).send();
  return sendBytes(headers, reply, page);
}

/** The page of the web app for unknown addresses: it says so, and so does the status. */
export function sendMissingPage({ headers }: FastifyRequest, reply: FastifyReply, page: WebPage) {
  reply.code(404).headers({ 'cache-control': 'no-store', vary: 'accept-encoding' });
  return sendBytes(headers, reply, page);
}

function sendBytes(headers: IncomingHttpHeaders, reply: FastifyReply, { type, bytes }: WebPage) {
  const encoding = chosenEncoding(headers['accept-encoding']);
  if (encoding) reply.header('content-encoding', encoding);
  return reply.type(type).send(bytes[encoding ?? 'identity']);
}
