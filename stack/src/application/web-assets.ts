import { readdir } from 'node:fs/promises';
import type { IncomingHttpHeaders, IncomingMessage, ServerResponse } from 'node:http';
import { join, relative, sep } from 'node:path';
import fastifyStatic from '@fastify/static';
import { NotFound } from '@tallyhand/contracts/kernel/problem';
import { sendProblem } from '@tallyhand/service-kit/http/problem';
import { PAGE_POLICY, securityHeaders } from '@tallyhand/service-kit/http/security-headers';
import { correlationIdFor } from '@tallyhand/service-kit/tracing/http-spans';
import Fastify, { type FastifyReply } from 'fastify';
import { isWebPath } from './is-web-path.ts';
import { PAGES, readAppPage, readWebPages, sendMissingPage, sendWebPage } from './web-pages.ts';

export type WebAssets = AsyncDisposable & {
  handle(request: IncomingMessage, response: ServerResponse): void;
};

/**
 * Serves the built web app: its files, and its page at the app's paths. Elsewhere browsers get the
 * page with 404, and programs a problem.
 */
export async function serveWebAssets(folder: string, publicUrl: string): Promise<WebAssets> {
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
    },
  });
  for (const [path, page] of pages) {
    app.get(path, (request, reply) => sendWebPage(request, reply, page));
  }
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
