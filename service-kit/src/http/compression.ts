import { promisify } from 'node:util';
import { brotliCompress, gzip, constants as zlib } from 'node:zlib';
import type { FastifyInstance, FastifyRequest } from 'fastify';
import { hasKey } from './credentials.ts';

declare module 'fastify' {
  interface FastifyContextConfig {
    /** The answer contains an access secret: its length must reveal nothing. */
    holdsSecrets?: boolean;
  }
}

/** Below this the headers outweigh the savings. */
const COMPRESSED_BYTES_MIN = 1024;

/** Levels for dynamic answers: higher ones cost more than they save on the wire. */
const encoders = {
  br: (text: string) =>
    promisify(brotliCompress)(text, { params: { [zlib.BROTLI_PARAM_QUALITY]: 4 } }),
  gzip: (text: string) => promisify(gzip)(text, { level: 6 }),
} as const;
type Encoding = keyof typeof encoders;

/**
 * Compresses text answers of reads. The length of a compressed answer reveals whether text injected
 * by an attacker occurs in it twice (BREACH). So nothing is compressed that another site made a
 * browser request, nothing with a secret, and no answer of a command, which is where secrets are
 * returned. Streams, such as those of events, are sent unchanged.
 */
export function addCompression(app: FastifyInstance) {
  app.addHook<unknown>('onSend', (request, reply, payload, done) => {
    if (typeof payload !== 'string' || !mayCompress(request)) return done(null, payload);
    if (reply.hasHeader('content-encoding')) return done(null, payload);
    reply.header('vary', 'accept-encoding');
    const encoding = chosenEncoding(request.headers['accept-encoding']);
    const isLong = encoding !== null && Buffer.byteLength(payload) >= COMPRESSED_BYTES_MIN;
    if (!isLong) return done(null, payload);
    encoders[encoding](payload).then((compressed) => {
      reply.header('content-encoding', encoding).header('content-length', compressed.length);
      done(null, compressed);
    }, done);
  });
}

function mayCompress(request: FastifyRequest): boolean {
  if (request.method !== 'GET' && request.method !== 'HEAD') return false;
  if (request.routeOptions.config.holdsSecrets === true) return false;
  return hasKey(request) || request.headers['sec-fetch-site'] === 'same-origin';
}

/** The best supported encoding that the caller accepts; null if it names none, or refuses it. */
export function chosenEncoding(accepted: string | undefined): Encoding | null {
  const named = new Map(
    (accepted ?? '').split(',').map((each) => {
      const [name = '', ...parameters] = each.split(';').map((part) => part.trim().toLowerCase());
      return [name, !parameters.some((parameter) => /^q=0(\.0*)?$/.test(parameter))] as const;
    }),
  );
  const order = ['br', 'gzip'] as const;
  return order.find((encoding) => named.get(encoding) ?? named.get('*') ?? false) ?? null;
}
