import type { FastifyInstance } from 'fastify';

declare module 'fastify' {
  interface FastifyContextConfig {
    /** The body is signed by a program elsewhere: no cookie counts, and no Origin matters. */
    isSigned?: boolean;
  }
}

export const SIGNED_CALL = { isSigned: true };

/** The raw bytes of any body, because a signature covers exactly these. */
export function addRawBody(scope: FastifyInstance, bytesMax: number) {
  scope.removeAllContentTypeParsers();
  const options = { parseAs: 'buffer', bodyLimit: bytesMax } as const;
  scope.addContentTypeParser('*', options, (_request, body, done) => done(null, body));
}
