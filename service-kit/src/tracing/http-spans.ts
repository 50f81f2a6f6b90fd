import type { FastifyInstance, FastifyRequest } from 'fastify';
import { newId } from '../crypto/ids.ts';
import { correlationIdOf, type Parent, parseTraceparent, traceIdOf } from './trace-context.ts';
import { beginSpan, inSpan, isTracing, type Span } from './tracing.ts';

type Headers = { readonly headers: Readonly<Record<string, unknown>> };

/** A caller's trace id identifies its calls; others get a new id each. */
export function correlationIdFor({ headers }: Headers): string {
  const given = parseTraceparent(headers.traceparent);
  return given ? correlationIdOf(given) : newId();
}

/**
 * A span for each request, by its route's template, over all that the route does. `onlyBelow`: for
 * calls between the product's processes, which send their trace along.
 */
export function addHttpSpans(app: FastifyInstance, { onlyBelow }: { onlyBelow: boolean }): void {
  if (!isTracing()) return;
  const spans = new WeakMap<FastifyRequest, Span>();
  app.addHook('onRequest', async (request, reply) => {
    const given = parseTraceparent(request.headers.traceparent);
    if (!isTraced(request) || (onlyBelow && !given)) return;
    const { method, routeOptions } = request;
    const route = routeOptions.url ?? 'none';
    const span = beginSpan(`${method} ${route}`, given ?? rootOf(request), {
      kind: 'server',
      attributes: { 'http.request.method': method, 'http.route': route },
    });
    if (!span) return;
    spans.set(request, span);
    // Also when the caller goes away before the answer is there.
    reply.raw.once('close', () => {
      span.set({ 'http.response.status_code': reply.statusCode });
      if (reply.statusCode >= 500) span.fail();
      span.end();
    });
  });
  // Reading the body has left whatever the hooks before were a part of.
  app.addHook('preHandler', (request, _reply, done) => {
    const span = spans.get(request);
    if (span) inSpan(span, done);
    else done();
  });
}

const rootOf = ({ id }: FastifyRequest): Parent | null => {
  const traceId = traceIdOf(id);
  return traceId === null ? null : { traceId, spanId: null };
};

/** Health is polled constantly, and a stream of changes lasts as long as a page is open. */
const isTraced = ({ url, method, headers }: FastifyRequest) =>
  /^\/(?:(?:api|internal)\/|mcp$)/.test(url) &&
  !(method === 'GET' && headers.accept === 'text/event-stream');
