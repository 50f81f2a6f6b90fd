import type { IncomingMessage, ServerResponse } from 'node:http';
import { relative, sep } from 'node:path';
import fastifyStatic from '@fastify/static';
import { PAGE_POLICY, securityHeaders } from '@tallyhand/service-kit/http/security-headers';
import Fastify, { type FastifyReply } from 'fastify';
import { PAGES, readWebPages, sendWebPage } from './web-pages.ts';

export type WebAssets = AsyncDisposable & {
  handle(request: IncomingMessage, response: ServerResponse): void;
};

/** Serves the built web app; every path that is no file is one of its pages. */
export async function serveWebAssets(folder: string, publicUrl: string): Promise<WebAssets> {
  const pages = await readWebPages(folder, publicUrl);
  const headers = securityHeaders(publicUrl, PAGE_POLICY);
  const app = Fastify({
    forceCloseConnections: true,
    // Addresses that the router itself can't read.
    frameworkErrors: (_error, _request, reply) =>
      notFound((reply as FastifyReply).headers(headers)),
  });
  app.addHook('onRequest', async (_request, reply) => {
    reply.headers(headers);
  });
  await app.register(fastifyStatic, {
    root: folder,
    // The build leaves each file's brotli and gzip beside it.
    preCompressed: true,
    // They are pages by another address, with a head of their own.
    allowedPath: (path) => !path.startsWith(`/${PAGES}/`),
    setHeaders(response, path) {
      // Names under assets/ carry the hash of what they hold.
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
  app.setNotFoundHandler((request, reply) => {
    const path = request.url.split('?')[0] ?? '';
    if (/\.\w+$/.test(path)) return notFound(reply);
    return reply.sendFile('index.html');
  });
  await app.ready();
  return {
    handle: (request, response) => app.routing(request, response),
    [Symbol.asyncDispose]: () => app.close(),
  };
}

const notFound = (reply: FastifyReply) =>
  reply.code(404).header('cache-control', 'no-store').type('text/plain').send('Not found');
