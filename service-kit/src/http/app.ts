import cookie from '@fastify/cookie';
import rateLimit from '@fastify/rate-limit';
import type { Endpoint, Protocol } from '@tallyhand/contracts/kernel/endpoint';
import {
  ForeignOrigin,
  NotFound,
  TooManyRequests,
  UnsupportedContentEncoding,
} from '@tallyhand/contracts/kernel/problem';
import type { Refusal } from '@tallyhand/contracts/kernel/refusal';
import Fastify, {
  type FastifyContextConfig,
  type FastifyInstance,
  type FastifyReply,
  type FastifyRequest,
} from 'fastify';
import { errorFields, type Log } from '../log.ts';
import { counter } from '../metrics/counter.ts';
import { histogram } from '../metrics/histogram.ts';
import { addHttpSpans, correlationIdFor } from '../tracing/http-spans.ts';
import { addCompression } from './compression.ts';
import { hasKey } from './credentials.ts';
import { addJsonBody } from './json-body.ts';
import { protocolOf, RefusalError, refusalOf, sendProblem } from './problem.ts';
import { API_POLICY, securityHeaders } from './security-headers.ts';

declare module 'fastify' {
  interface FastifyContextConfig {
    /** The body is signed by a program elsewhere: no cookie counts, and no Origin matters. */
    isSigned?: boolean;
    /** The protocol of the call, which has its own shape of problems. */
    protocol?: Protocol | undefined;
  }
}

/** An article of 400,000 characters of four bytes each, escaped, still fits. */
const BODY_BYTES_MAX = 4 * 1024 * 1024;
/** The rest of a refused body is read and discarded, up to this. */
const REFUSED_BYTES_MAX = 32 * 1024 * 1024;
const REQUESTS_PER_MINUTE = 3000;
const SAFE_METHODS = new Set(['GET', 'HEAD', 'OPTIONS']);

export type TrustProxy = boolean | string | ((address: string, hop: number) => boolean);

export type HttpSettings = {
  readonly publicUrl: string;
  /** Addresses of proxies, or which hops to trust. */
  readonly trustProxy: TrustProxy;
  readonly rateLimitScale: number;
  /** Only our own processes call: a call without a trace begins none. */
  readonly isInternal?: true;
  readonly log: Log;
};

/**
 * A Fastify instance with the shared HTTP features of every service: limits, headers, problems,
 * cookies.
 */
export async function createHttpApp(settings: HttpSettings): Promise<FastifyInstance> {
  const headers = securityHeaders(settings.publicUrl, API_POLICY);
  const app = Fastify({
    bodyLimit: BODY_BYTES_MAX,
    trustProxy: settings.trustProxy,
    genReqId: correlationIdFor,
    routerOptions: { maxParamLength: 2000 },
    forceCloseConnections: true,
    // Addresses that the router itself can't read.
    frameworkErrors: (error, request, reply) => {
      addCommonHeaders(request, (reply as FastifyReply).headers(headers));
      return sendProblem(reply as FastifyReply, refusalOf(error, BODY_BYTES_MAX));
    },
  });
  addHttpSpans(app, { onlyBelow: settings.isInternal === true });
  addJsonBody(app);
  await app.register(cookie);
  addCompression(app);
  await app.register(rateLimit, {
    max: Math.ceil(REQUESTS_PER_MINUTE * settings.rateLimitScale),
    timeWindow: '1 minute',
    keyGenerator: (request) => request.ip,
    errorResponseBuilder: (_request, { ttl }) =>
      new RefusalError(TooManyRequests({ retryAfterSeconds: Math.ceil(ttl / 1000) })),
  });
  // Hooks that wait for nothing call back: a promise for each would cost every call a turn.
  app.addHook('onRequest', (request, reply, done) => {
    // A caller who has hung up has no address any more, whatever the type of Fastify says.
    const address: string | undefined = request.ip;
    Object.defineProperty(request, 'ip', { value: address ?? '' });
    addCommonHeaders(request, reply.headers(headers));
    const refused = refusalOfUnsafe(request, settings.publicUrl);
    done(refused ? new RefusalError(refused) : undefined);
  });
  const limited = limitedCalls(settings.log);
  app.addHook('onResponse', (request, reply, done) => {
    observeRequest(request, reply);
    if (reply.statusCode === 429) limited.note(request);
    done();
  });
  app.addHook('onClose', async () => limited.flush());
  app.setNotFoundHandler((_request, reply) => sendProblem(reply, NotFound({ what: 'address' })));
  app.setErrorHandler((error, request, reply) => {
    const refused = refusalOf(error, BODY_BYTES_MAX);
    if (refused.status >= 500) {
      settings.log.error('request failed', {
        correlationId: request.id,
        method: request.method,
        route: request.routeOptions.url,
        ...errorFields(error),
      });
    }
    keepWhileSending(request, reply);
    return sendProblem(reply, refused);
  });
  return app;
}

/**
 * Fastify closes the connection when it refuses a body. A caller that has not sent all of it then
 * sees a broken connection instead of the answer, and a proxy answers 502 itself.
 */
function keepWhileSending({ headers }: FastifyRequest, reply: FastifyReply) {
  if (Number(headers['content-length']) <= REFUSED_BYTES_MAX) reply.removeHeader('connection');
}

function addCommonHeaders(request: FastifyRequest, reply: FastifyReply) {
  const { id } = request;
  reply.header('tallyhand-correlation-id', id);
  if (protocolOf(request)) reply.header('x-request-id', id);
  reply.header('cache-control', 'no-store');
}

/** Why a call that may change something is refused before its body is read. */
function refusalOfUnsafe(request: FastifyRequest, publicUrl: string): Refusal | null {
  if (SAFE_METHODS.has(request.method)) return null;
  const isSigned = request.routeOptions.config.isSigned === true;
  if (!isSigned && isForeign(request, publicUrl) && !hasKey(request)) return ForeignOrigin({});
  const encoding = request.headers['content-encoding']?.trim().toLowerCase() ?? '';
  const isEncoded = encoding !== '' && encoding !== 'identity';
  return isEncoded && !request.is404 ? UnsupportedContentEncoding({}) : null;
}

/** An unsafe call that another site made a browser send; programs send neither header. */
function isForeign({ headers, host, protocol }: FastifyRequest, publicUrl: string) {
  const site = headers['sec-fetch-site'];
  if (site !== undefined && site !== 'same-origin' && site !== 'none') return true;
  const { origin } = headers;
  if (origin === undefined) return false;
  return origin !== new URL(publicUrl).origin && origin !== `${protocol}://${host}`;
}

/** The path of a contract as Fastify writes it. */
export const fastifyPath = (path: string) => path.replace(/\{(\w+)\}/g, ':$1');

/** Requests per time window for one costly call, scaled like all limits. */
export type CallLimit = { readonly max: number; readonly timeWindow: string };

/** As a part of a route's options. Without a limit, the general one is enough. */
export const routeConfig = (
  { protocol }: Pick<Endpoint, 'protocol'>,
  limit: CallLimit | undefined,
  scale: number,
): { readonly config: FastifyContextConfig } => ({
  config: {
    ...(limit ? { rateLimit: { ...limit, max: Math.ceil(limit.max * scale) } } : {}),
    ...(protocol ? { protocol } : {}),
  },
});

const SECONDS = [0.005, 0.01, 0.025, 0.05, 0.1, 0.25, 0.5, 1, 2.5, 5, 10];

const requestDurations = histogram({
  name: 'tallyhand_http_request_duration_seconds',
  help: 'How long requests took, by route and class of status.',
  bounds: SECONDS,
});

/** Routes by the pattern that is declared: addresses that callers make up are one. */
function observeRequest(request: FastifyRequest, reply: FastifyReply): void {
  const { method, routeOptions } = request;
  const status = `${Math.floor(reply.statusCode / 100)}xx`;
  const labels = { method, route: routeOptions.url ?? 'none', status };
  requestDurations.observe(labels, reply.elapsedTime / 1000);
}

const LOG_EVERY_MS = 10_000;
const ADDRESSES_MAX = 10_000;

const limited = counter({
  name: 'tallyhand_rate_limited_requests_total',
  help: 'Calls that were refused because there were too many, by route.',
});

/**
 * Calls that were answered 429, in the log as one line for all of ten seconds: a flood of calls must
 * not become a flood of lines. Addresses are counted, never written down.
 */
function limitedCalls(log: Log) {
  const routes = new Map<string, number>();
  const addresses = new Set<string>();
  let timer: NodeJS.Timeout | undefined;

  function flush() {
    clearTimeout(timer);
    timer = undefined;
    if (routes.size === 0) return;
    const calls = [...routes.values()].reduce((sum, count) => sum + count, 0);
    const fields = { calls, addresses: addresses.size, routes: Object.fromEntries(routes) };
    log.warn('calls were refused: too many', fields);
    routes.clear();
    addresses.clear();
  }

  return {
    note({ method, routeOptions, ip }: FastifyRequest) {
      const route = routeOptions.url ?? 'none';
      limited.add({ method, route });
      const call = `${method} ${route}`;
      routes.set(call, (routes.get(call) ?? 0) + 1);
      if (addresses.size < ADDRESSES_MAX) addresses.add(ip);
      timer ??= setTimeout(flush, LOG_EVERY_MS).unref();
    },
    flush,
  };
}
