import { createHash } from 'node:crypto';
import { existsSync } from 'node:fs';
import { readdir, readFile } from 'node:fs/promises';
import type { IncomingHttpHeaders, IncomingMessage, ServerResponse } from 'node:http';
import { extname, join, relative, sep } from 'node:path';
import { brotliCompressSync, constants, gzipSync } from 'node:zlib';
import fastifyStatic from '@fastify/static';
import { NotFound } from '@tallyhand/contracts/kernel/problem';
import { COMMUNITY_PATH, WEB_PATHS } from '@tallyhand/contracts/web-paths';
import { chosenEncoding } from '@tallyhand/service-kit/http/compression';
import { sendProblem } from '@tallyhand/service-kit/http/problem';
import { PAGE_POLICY, securityHeaders } from '@tallyhand/service-kit/http/security-headers';
import { correlationIdFor } from '@tallyhand/service-kit/tracing/http-spans';
import Fastify, { type FastifyReply, type FastifyRequest } from 'fastify';

export type WebAssets = AsyncDisposable & {
  handle(request: IncomingMessage, response: ServerResponse): void;
};

/** What only the operator knows. */
export type OperatorAddresses = {
  /** Where weaknesses are reported to; by default the contact page. */
  readonly securityContact?: string | undefined;
  /** Where `/community` leads; by default to the support form. */
  readonly communityUrl?: string | undefined;
};

const SUPPORT_FORM = '/contact?category=general';

/**
 * Serves the built web app: its files, and its page at the app's paths. Elsewhere browsers get the
 * page with 404, and programs a problem.
 */
export async function serveWebAssets(
  folder: string,
  publicUrl: string,
  { securityContact, communityUrl = SUPPORT_FORM }: OperatorAddresses = {},
): Promise<WebAssets> {
  const pages = await readWebPages(folder, publicUrl);
  const headers = securityHeaders(publicUrl, PAGE_POLICY);
  const app = Fastify({
    forceCloseConnections: true,
    genReqId: correlationIdFor,
    // Addresses that the router itself can't read.
    frameworkErrors: (_error, _request, reply) =>
      notFound((reply as FastifyReply).headers(headers)),
  });
  app.addHook('onRequest', async (_request, reply) => {
    reply.headers(headers);
  });
  await app.register(fastifyStatic, {
    root: folder,
    // A separate route would list whole folders for each request, to compare spellings.
    serve: false,
    // The build leaves each file's brotli and gzip beside it.
    preCompressed: true,
    setHeaders(response, path) {
      // Names under assets/ contain a hash of the content.
      const isHashed = relative(folder, path).startsWith(`assets${sep}`);
      response.header(
        'cache-control',
        isHashed ? 'public, max-age=31536000, immutable' : 'no-cache',
      );
      // It is no file in compressed transport, which its type would say otherwise.
      if (path.endsWith('.tgz')) response.header('content-type', 'application/gzip');
    },
  });
  for (const [path, page] of pages) {
    app.get(path, (request, reply) => {
      if (page.policy) reply.header('content-security-policy', page.policy);
      return sendWebPage(request, reply, page);
    });
  }
  app.get('/.well-known/security.txt', (_request, reply) =>
    reply
      .header('cache-control', 'no-cache')
      .type(TYPES['.txt'] ?? '')
      .send(securityTxt({ publicUrl, contact: securityContact }, new Date())),
  );
  // The pages are built without it, and link here.
  app.get(COMMUNITY_PATH, (_request, reply) =>
    reply.header('cache-control', 'no-cache').redirect(communityUrl),
  );
  const files = await builtFiles(folder);
  const appPage = await readAppPage(folder);
  app.setNotFoundHandler((request, reply) => {
    const path = request.url.split('?')[0] ?? '';
    const isRead = request.method === 'GET' || request.method === 'HEAD';
    if (isRead && files.has(path)) return reply.sendFile(path);
    if (isRead && isWebPath(path)) return reply.sendFile('index.html');
    if (!isRead || isOfApi(path, request.headers)) {
      return sendProblem(reply.header('cache-control', 'no-store'), NotFound({ what: 'address' }));
    }
    return /\.\w+$/.test(path) ? notFound(reply) : sendMissingPage(request, reply, appPage);
  });
  await app.ready();
  return {
    handle: (request, response) => app.routing(request, response),
    [Symbol.asyncDispose]: () => app.close(),
  };
}

/** The paths of the build's files, except pages, which have their own addresses. */
async function builtFiles(folder: string): Promise<ReadonlySet<string>> {
  const entries = await readdir(folder, { recursive: true, withFileTypes: true });
  return new Set(
    entries
      .filter((entry) => entry.isFile() && !/\.(br|gz)$/.test(entry.name))
      .map(({ parentPath, name }) => `/${relative(folder, join(parentPath, name))}`)
      .map((path) => path.replaceAll(sep, '/'))
      .filter((path) => !path.startsWith(`/${PAGES}/`)),
  );
}

/** Paths of the API: programs get a problem instead of a page. */
const API_PATH = /^\/(v1|mcp|api)(\/|$)/i;

function isOfApi(path: string, { accept = '' }: IncomingHttpHeaders): boolean {
  return API_PATH.test(path) || (accept.includes('json') && !accept.includes('text/html'));
}

const notFound = (reply: FastifyReply) =>
  reply.code(404).header('cache-control', 'no-store').type('text/plain').send('Not found');

const patterns = WEB_PATHS.map((path) => path.replace(':id', '[^/]+'));
/** Without regard to case or a last slash, as the router of the web app matches. */
const PAGE = new RegExp(`^(?:${patterns.join('|')})/?$`, 'i');

/** Whether the web app has a page at this path, percent-encoded as requested. */
export function isWebPath(path: string): boolean {
  try {
    return PAGE.test(decodeURIComponent(path));
  } catch {
    return false;
  }
}

/**
 * The folder of files that contain their own address: pages with their heads, robots.txt,
 * sitemap.xml, llms.txt.
 */
const PAGES = 'pages';
/** The build's placeholder for the address that only the operator knows. */
const ORIGIN = '%PUBLIC_URL%';
const TYPES: Readonly<Record<string, string>> = {
  '.html': 'text/html; charset=utf-8',
  '.md': 'text/markdown; charset=utf-8',
  '.txt': 'text/plain; charset=utf-8',
  '.xml': 'application/xml; charset=utf-8',
};

type Encoding = keyof typeof ENCODERS;

type WebPage = {
  readonly type: string;
  readonly etag: string;
  /** Of a page that brings its own, which also holds where it is opened as a file. */
  readonly policy: string | null;
  /** Compressed when it is first requested so. */
  readonly bytesAs: (encoding: Encoding) => Buffer;
};

/** The build's files for public addresses, by path, with the product's own address in them. */
async function readWebPages(
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

/** The page for all other addresses. */
const readAppPage = async (folder: string) =>
  webPage(TYPES['.html'] ?? '', await readFile(join(folder, 'index.html')));

/** Hardly larger than at the best quality, in a hundredth of the time. */
const BROTLI = { params: { [constants.BROTLI_PARAM_QUALITY]: 6 } };

const ENCODERS = {
  br: (bytes: Buffer) => brotliCompressSync(bytes, BROTLI),
  gzip: (bytes: Buffer) => gzipSync(bytes),
  identity: (bytes: Buffer) => bytes,
};

function webPage(type: string, identity: Buffer): WebPage {
  const known = new Map<Encoding, Buffer>();
  return {
    type,
    policy: policyIn(identity.toString()),
    etag: `W/"${createHash('sha256').update(identity).digest('base64url')}"`,
    bytesAs(encoding) {
      const bytes = known.get(encoding) ?? ENCODERS[encoding](identity);
      known.set(encoding, bytes);
      return bytes;
    },
  };
}

const POLICY = /<meta http-equiv="content-security-policy" content="([^"]+)"/;

/** What only a header can forbid is added. */
function policyIn(page: string): string | null {
  const [, policy] = POLICY.exec(page) ?? [];
  return policy === undefined ? null : `${policy}; frame-ancestors 'none'`;
}

/** Sent like a file: revalidated each time, compressed if the caller accepts it. */
function sendWebPage({ headers }: FastifyRequest, reply: FastifyReply, page: WebPage) {
  const { etag } = page;
  reply.headers({ 'cache-control': 'no-cache', vary: 'accept-encoding', etag });
  if (headers['if-none-match'] === etag) return reply.code(304).send();
  return sendBytes(headers, reply, page);
}

/** The web app for unknown addresses, with status 404. */
function sendMissingPage({ headers }: FastifyRequest, reply: FastifyReply, page: WebPage) {
  reply.code(404).headers({ 'cache-control': 'no-store', vary: 'accept-encoding' });
  return sendBytes(headers, reply, page);
}

function sendBytes(headers: IncomingHttpHeaders, reply: FastifyReply, { type, bytesAs }: WebPage) {
  const encoding = chosenEncoding(headers['accept-encoding']);
  if (encoding) reply.header('content-encoding', encoding);
  return reply.type(type).send(bytesAs(encoding ?? 'identity'));
}

/** RFC 9116 recommends less than a year; readers fetch it again long before. */
const VALID_DAYS = 180;
const DAY_MS = 86_400_000;

type Disclosure = {
  /** The origin of the installation. */
  readonly publicUrl: string;
  /** An email address, or an address with `https:` or `mailto:`. Default: the contact page. */
  readonly contact?: string | undefined;
};

/** /.well-known/security.txt: how to report a weakness (RFC 9116). Expires 180 days after today. */
export function securityTxt({ publicUrl, contact }: Disclosure, now: Date): string {
  const { origin } = new URL(publicUrl);
  const today = Math.floor(now.getTime() / DAY_MS) * DAY_MS;
  const expires = new Date(today + VALID_DAYS * DAY_MS).toISOString();
  return [
    `Contact: ${contact ? uriOf(contact) : `${origin}/contact?category=technical`}`,
    `Expires: ${expires.replace('.000', '')}`,
    'Preferred-Languages: en',
    `Canonical: ${origin}/.well-known/security.txt`,
    `Policy: ${origin}/security#report`,
    '',
  ].join('\n');
}

const uriOf = (contact: string) => (contact.includes(':') ? contact : `mailto:${contact}`);
