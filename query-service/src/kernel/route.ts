import type { Role } from '@tallyhand/contracts/features/identity/role';
import type { Endpoint } from '@tallyhand/contracts/kernel/endpoint';
import type { Page } from '@tallyhand/contracts/kernel/lists';
import { NotFound, NotSignedIn, ReadModelsBehind } from '@tallyhand/contracts/kernel/problem';
import { isRefusal, type Refusal } from '@tallyhand/contracts/kernel/refusal';
import type { Read, ReadArguments } from '@tallyhand/read-models/kernel/read-model';
import { fastifyPath } from '@tallyhand/service-kit/http/app';
import { positionToPass, signInIdOf } from '@tallyhand/service-kit/http/cookies';
import { sendProblem } from '@tallyhand/service-kit/http/problem';
import { parseRequest } from '@tallyhand/service-kit/http/request';
import type { FastifyInstance, FastifyReply, FastifyRequest } from 'fastify';
import type { z } from 'zod';
import type { QueryContext } from './context.ts';
import { nextLink, type PageValues, pageValues } from './paging.ts';
import { runRead, type Values } from './run-read.ts';

/** How long a read waits for the caller's own last change. */
const POSITION_WAIT_MS = 2_000;
const JSON_TYPE = 'application/json; charset=utf-8';

export type Allow = 'anyone' | 'member' | readonly Role[];

type Call<P, Q> = {
  readonly params: P;
  readonly query: Q;
  readonly reply: FastifyReply;
  /** Runs a read for the caller, if the route's `allow` lets them. */
  readonly read: <A extends ReadArguments>(
    read: Read<A>,
    values: Values<A>,
  ) => Promise<Body | Refusal>;
};

/** JSON text that is sent as it is, or null where there is nothing to see. */
type Body = { readonly kind: 'rows'; readonly body: string | null };

/** A route whose answer a handler makes; the caller's own changes are in the read models by then. */
export function route<P extends z.ZodType, Q extends z.ZodType, A extends z.ZodType>(
  app: FastifyInstance,
  context: QueryContext,
  endpoint: Endpoint<P, Q, z.ZodUndefined, A>,
  { allow }: { readonly allow: Allow },
  handler: (call: Call<z.infer<P>, z.infer<Q>>) => Promise<Body | Refusal>,
): void {
  app.get(fastifyPath(endpoint.path), async (request, reply) => {
    const parsed = parseRequest(endpoint, request);
    if (isRefusal(parsed)) {
      // Only who may call learns what is wrong with the call.
      const stranger = allow !== 'anyone' && !(await isSignedIn(context, request));
      return sendProblem(reply, stranger ? NotSignedIn({}) : parsed);
    }
    const position = positionToPass(request);
    if (position && !(await context.readPosition.reached(position, POSITION_WAIT_MS))) {
      return sendProblem(reply, ReadModelsBehind({}));
    }
    const { params, query } = parsed;
    const result = await handler({
      params,
      query,
      reply,
      read: (read, values) => readAsCaller(context, request, read, allow, values),
    });
    if (isRefusal(result)) return sendProblem(reply, result);
    if (result.body === null) {
      return sendProblem(reply, NotFound({ what: endpoint.feature.replace(/s$/, '') }));
    }
    return reply.code(endpoint.status).type(JSON_TYPE).send(result.body);
  });
}

async function isSignedIn({ pool, settings }: QueryContext, request: FastifyRequest) {
  const signInId = await signInIdOf(request, settings);
  if (!signInId) return false;
  const { rowCount } = await pool.query('select from operational.authenticate($1)', [signInId]);
  return Boolean(rowCount);
}

async function readAsCaller<A extends ReadArguments>(
  context: QueryContext,
  request: FastifyRequest,
  read: Read<A>,
  allow: Allow,
  values: Values<A>,
): Promise<Body | Refusal> {
  const signInId = await signInIdOf(request, context.settings);
  if (!signInId) return NotSignedIn({});
  return runRead(context, read, signInId, typeof allow === 'string' ? null : allow, values);
}

type Options<A extends ReadArguments, P> = {
  readonly allow: Allow;
  readonly read: Read<A>;
  readonly values: (params: P) => Values<A>;
};

/** One object of the caller's organization; 404 when there is none. */
export function oneRoute<P extends z.ZodType, A extends z.ZodType, R extends ReadArguments>(
  app: FastifyInstance,
  context: QueryContext,
  endpoint: Endpoint<P, z.ZodUndefined, z.ZodUndefined, A>,
  { allow, read, values }: Options<R, z.infer<P>>,
): void {
  route(app, context, endpoint, { allow }, (call) => call.read(read, values(call.params)));
}

type PageArguments = { limit: 'int'; cursor_at: 'timestamptz'; cursor_id: 'uuid' };

/** A list of the caller's organization: whole up to 1,000 rows, or paged by `limit` and `cursor`. */
export function listRoute<A extends z.ZodType>(
  app: FastifyInstance,
  context: QueryContext,
  endpoint: Endpoint<z.ZodUndefined, z.ZodType<Page>, z.ZodUndefined, A>,
  { allow, read }: { readonly allow: Allow; readonly read: Read<PageArguments> },
): void {
  route(app, context, endpoint, { allow }, async ({ query, reply, ...call }) => {
    const values: PageValues | Refusal = pageValues(query);
    if (isRefusal(values)) return values;
    const result = await call.read(read, values);
    if (!isRefusal(result) && result.body !== null && query.limit !== undefined) {
      const link = nextLink(endpoint.path, JSON.parse(result.body), query.limit);
      if (link) reply.header('link', link);
    }
    return result;
  });
}
