import type { Endpoint } from '@tallyhand/contracts/kernel/endpoint';
import { NotSignedIn } from '@tallyhand/contracts/kernel/problem';
import { isRefusal, type Refusal } from '@tallyhand/contracts/kernel/refusal';
import type { FastifyInstance, FastifyReply, FastifyRequest } from 'fastify';
import type { z } from 'zod';
import { createHttpApp, fastifyPath, type HttpSettings } from './app.ts';
import { RefusalError, sendProblem } from './problem.ts';
import { parseRequest } from './request.ts';
import { isServiceCall } from './service-token.ts';

/**
 * Generous, because all internal processes share one address and viewers are checked constantly.
 */
const LIMIT_SCALE = 20;

/** The HTTP side for internal processes: nothing is read without the service token. */
export async function createInternalApp(
  settings: Omit<HttpSettings, 'trustProxy'>,
  token: string,
): Promise<FastifyInstance> {
  const rateLimitScale = settings.rateLimitScale * LIMIT_SCALE;
  const app = await createHttpApp({ ...settings, trustProxy: false, rateLimitScale });
  app.addHook('onRequest', async ({ headers }) => {
    if (!isServiceCall(headers.authorization, token)) throw new RefusalError(NotSignedIn({}));
  });
  return app;
}

export type InternalCall<P, B> = {
  readonly params: P;
  readonly body: B;
  readonly request: FastifyRequest;
  readonly reply: FastifyReply;
};

/** Registers an internal call: the contract first, then the handler. */
export function internalRoute<
  P extends z.ZodType,
  Q extends z.ZodType,
  B extends z.ZodType,
  A extends z.ZodType,
>(
  app: FastifyInstance,
  endpoint: Endpoint<P, Q, B, A>,
  handler: (call: InternalCall<z.infer<P>, z.infer<B>>) => Promise<z.infer<A> | Refusal>,
): void {
  app.route({
    method: endpoint.method,
    url: fastifyPath(endpoint.path),
    handler: async (request, reply) => {
      const parsed = parseRequest(endpoint, request);
      if (isRefusal(parsed)) return sendProblem(reply, parsed);
      const answer = await handler({ ...parsed, request, reply });
      if (isRefusal(answer)) return sendProblem(reply, answer);
      return reply.code(endpoint.status).send(answer);
    },
  });
}
