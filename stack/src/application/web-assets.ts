import type { IncomingMessage, ServerResponse } from 'node:http';
import helmet from '@fastify/helmet';
import fastifyStatic from '@fastify/static';
import Fastify from 'fastify';

const CONTENT_SECURITY_POLICY = {
  defaultSrc: ["'none'"],
  scriptSrc: ["'self'"],
  styleSrc: ["'self'"],
  imgSrc: ["'self'", 'data:'],
  fontSrc: ["'self'"],
  connectSrc: ["'self'"],
  manifestSrc: ["'self'"],
  baseUri: ["'none'"],
  formAction: ["'self'"],
  frameAncestors: ["'none'"],
};

export type WebAssets = AsyncDisposable & {
  handle(request: IncomingMessage, response: ServerResponse): void;
};

/** Serves the built web app; every path that is no file is one of its pages. */
export async function serveWebAssets(folder: string, publicUrl: string): Promise<WebAssets> {
  const app = Fastify({ forceCloseConnections: true });
  await app.register(helmet, {
    contentSecurityPolicy: { useDefaults: false, directives: CONTENT_SECURITY_POLICY },
    hsts: publicUrl.startsWith('https:'),
    referrerPolicy: { policy: 'same-origin' },
  });
  await app.register(fastifyStatic, {
    root: folder,
    setHeaders(response, path) {
      // Names under assets/ carry the hash of what they hold.
      const isHashed = path.includes('/assets/');
      response.header(
        'cache-control',
        isHashed ? 'public, max-age=31536000, immutable' : 'no-cache',
      );
    },
  });
  app.setNotFoundHandler((request, reply) => {
    const path = request.url.split('?')[0] ?? '';
    if (/\.\w+$/.test(path)) return reply.code(404).type('text/plain').send('Not found');
    return reply.sendFile('index.html');
  });
  await app.ready();
  return {
    handle: (request, response) => app.routing(request, response),
    [Symbol.asyncDispose]: () => app.close(),
  };
}
