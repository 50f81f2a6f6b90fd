import { once } from 'node:events';
import { createServer, type IncomingMessage } from 'node:http';
import type { AddressInfo } from 'node:net';
import type { Duplex } from 'node:stream';
import {
  callBrowserTool,
  closeBrowserTool,
} from '@tallyhand/contracts/features/sessions/runner.endpoints';
import type { Endpoint } from '@tallyhand/contracts/kernel/endpoint';
import { NotSignedIn } from '@tallyhand/contracts/kernel/problem';
import { isRefusal } from '@tallyhand/contracts/kernel/refusal';
import { createHttpApp, fastifyPath } from '@tallyhand/service-kit/http/app';
import { RefusalError, sendProblem } from '@tallyhand/service-kit/http/problem';
import { parseRequest } from '@tallyhand/service-kit/http/request';
import { isServiceCall } from '@tallyhand/service-kit/http/service-token';
import {
  instrumentMetrics,
  METRICS_TYPE,
  metricsText,
} from '@tallyhand/service-kit/metrics/instruments';
import { processMetrics } from '@tallyhand/service-kit/metrics/process-metrics';
import type { FastifyInstance } from 'fastify';
import type { z } from 'zod';
import type { RunnerConfig } from '../config.ts';
import type { BrowserCalls } from './browser-calls.ts';

/** All calls come from few internal processes. */
const LIMIT_SCALE = 20;
/** Slow senders are cut off. */
const SERVER_LIMITS = { headersTimeout: 20_000, requestTimeout: 30_000 };

export type InternalServer = AsyncDisposable & { readonly port: number };

/** The server for browser tools of the command service, for sockets, and for metrics. */
export async function internalServer(
  { publicUrl, internalToken, host, port, log }: RunnerConfig,
  calls: BrowserCalls,
  handleUpgrade: (request: IncomingMessage, socket: Duplex, head: Buffer) => void,
): Promise<InternalServer> {
  const settings = { publicUrl, trustProxy: false, rateLimitScale: LIMIT_SCALE, log };
  const app = await createHttpApp(settings);
  app.addHook('onRequest', async ({ headers }) => {
    if (!isServiceCall(headers.authorization, internalToken)) {
      throw new RefusalError(NotSignedIn({}));
    }
  });
  serve(app, callBrowserTool, (body, signal) => calls.call(body, signal));
  serve(app, closeBrowserTool, async ({ browserId }) => {
    await calls.close(browserId);
    return { ok: true as const };
  });
  const ofProcess = processMetrics();
  app.addHook('onClose', async () => ofProcess.close());
  app.get('/metrics', async (_request, reply) =>
    reply.type(METRICS_TYPE).send(metricsText([...instrumentMetrics(), ...ofProcess.metrics()])),
  );
  await app.ready();

  const server = createServer(SERVER_LIMITS, (request, response) => app.routing(request, response));
  server.on('upgrade', handleUpgrade);
  server.listen(port, host);
  await once(server, 'listening');
  return {
    port: (server.address() as AddressInfo).port,
    async [Symbol.asyncDispose]() {
      server.closeAllConnections();
      await new Promise((resolve) => server.close(resolve));
      await app.close();
    },
  };
}

/** `signal`: the caller has left. */
function serve<P extends z.ZodType, Q extends z.ZodType, B extends z.ZodType, A extends z.ZodType>(
  app: FastifyInstance,
  endpoint: Endpoint<P, Q, B, A>,
  handler: (body: z.infer<B>, signal: AbortSignal) => Promise<z.infer<A>>,
) {
  app.route({
    method: endpoint.method,
    url: fastifyPath(endpoint.path),
    handler: async (request, reply) => {
      const parsed = parseRequest(endpoint, request);
      if (isRefusal(parsed)) return sendProblem(reply, parsed);
      const gone = new AbortController();
      reply.raw.once('close', () => gone.abort());
      return reply.send(await handler(parsed.body, gone.signal));
    },
  });
}
