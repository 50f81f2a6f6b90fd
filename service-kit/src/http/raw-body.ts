import type { FastifyInstance } from 'fastify';

declare module 'fastify' {
  interface FastifyContextConfig {
    /** The body is signed by a program elsewhere: no cookie counts, and no Origin matters. */
    isSigned?: boolean;
  }
}

export const SIGNED_CALL = { isSigned: true };

/** The bytes of any body as they were sent, for a signature covers these and nothing else. */
export function addRawBody(scope: FastifyInstance, bytesMax: number) {
  scope.removeAllContentTypeParsers();
  const options = { parseAs: 'buffer', bodyLimit: bytesMax } as const;
  scope.addContentTypeParser('*', options, (_request, body, done) => done(null, body));
}
