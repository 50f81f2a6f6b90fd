import { once } from 'node:events';
import { createServer, type IncomingMessage } from 'node:http';
import type { AddressInfo } from 'node:net';
import type { Duplex } from 'node:stream';
import {
  callBrowserTool,
  closeBrowserTool,
} from '@tallyhand/contracts/features/sessions/runner.endpoints';
import { createInternalApp, internalRoute } from '@tallyhand/service-kit/http/internal-app';
import {
  instrumentMetrics,
  METRICS_TYPE,
  metricsText,
} from '@tallyhand/service-kit/metrics/instruments';
import { processMetrics } from '@tallyhand/service-kit/metrics/process-metrics';
import type { RunnerConfig } from '../config.ts';
import type { BrowserCalls } from './browser-calls.ts';

/** Slow senders are cut off. */
const SERVER_LIMITS = { headersTimeout: 20_000, requestTimeout: 30_000 };

export type InternalServer = AsyncDisposable & { readonly port: number };

/** The server for browser tools of the command service, for sockets, and for metrics. */
export async function internalServer(
  { publicUrl, internalToken, host, port, log }: RunnerConfig,
  calls: BrowserCalls,
  handleUpgrade: (request: IncomingMessage, socket: Duplex, head: Buffer) => void,
): Promise<InternalServer> {
  const app = await createInternalApp({ publicUrl, rateLimitScale: 1, log }, internalToken);
  internalRoute(app, callBrowserTool, ({ body, reply }) => {
    const gone = new AbortController();
    reply.raw.once('close', () => gone.abort());
    return calls.call(body, gone.signal);
  });
  internalRoute(app, closeBrowserTool, async ({ body }) => {
    await calls.close(body.browserId);
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
