import type { Endpoint } from '@tallyhand/contracts/kernel/endpoint';
import { NotSignedIn } from '@tallyhand/contracts/kernel/problem';
import { isRefusal, type Refusal } from '@tallyhand/contracts/kernel/refusal';
import { createHttpApp, fastifyPath } from '@tallyhand/service-kit/http/app';
import { RefusalError, sendProblem } from '@tallyhand/service-kit/http/problem';
import { parseRequest } from '@tallyhand/service-kit/http/request';
import { isServiceCall } from '@tallyhand/service-kit/http/service-token';
import type { FastifyInstance, FastifyReply, FastifyRequest } from 'fastify';
import type { z } from 'zod';
import type { Kit } from './app.ts';
import { backgroundContext, type CommandContext } from './context.ts';

/**
 * Generous, because all internal processes share one address and viewers are checked constantly.
 */
const LIMIT_SCALE = 20;

/** The HTTP side for internal processes: nothing is read without the service token. */
export async function createInternalApp({ settings, log }: Kit): Promise<FastifyInstance> {
  const rateLimitScale = settings.rateLimitScale * LIMIT_SCALE;
  const app = await createHttpApp({
    ...settings,
    trustProxy: false,
    rateLimitScale,
    log,
    isInternal: true,
  });
  app.addHook('onRequest', async ({ headers }) => {
    if (!isServiceCall(headers.authorization, settings.internalToken ?? '')) {
      throw new RefusalError(NotSignedIn({}));
    }
  });
  return app;
}

export type InternalCall<P, B> = {
  readonly params: P;
  readonly body: B;
  /** Of a command that the call leads to, on an organization's stream. */
  readonly contextFor: (organizationId: string) => CommandContext;
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
      const contextFor = (organizationId: string) =>
        backgroundContext('worker', organizationId, { correlationId: request.id });
      const answer = await handler({ ...parsed, contextFor, request, reply });
      if (isRefusal(answer)) return sendProblem(reply, answer);
      return reply.code(endpoint.status).send(answer);
    },
  });
}
