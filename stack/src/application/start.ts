import { once } from 'node:events';
import { createServer, type IncomingMessage, type ServerResponse } from 'node:http';
import type { AddressInfo } from 'node:net';
import type { ModelSettings } from '@tallyhand/command-service/app/features';
import { openKit } from '@tallyhand/command-service/app/open-kit';
import type { SweepTimes } from '@tallyhand/command-service/features/credits/settle-reservations';
import type { WatchTimes } from '@tallyhand/command-service/features/sessions/watch-sessions';
import type { PaymentSettings } from '@tallyhand/command-service/kit/app';
import type { MailSettings } from '@tallyhand/command-service/kit/mail/smtp';
import { start as startCommandService } from '@tallyhand/command-service/start';
import { start as startWorker } from '@tallyhand/command-service/worker';
import { start as startProjector } from '@tallyhand/projector/start';
import { start as startQueryService } from '@tallyhand/query-service/start';
import type { TrustProxy } from '@tallyhand/service-kit/http/app';
import type { Log } from '@tallyhand/service-kit/log';
import { reachable } from '../supervisor/config.ts';
import { migrate } from './migrate.ts';
import { serveWebAssets } from './web-assets.ts';

/** Slow senders are cut off. */
const SERVER_LIMITS = {
  headersTimeout: 20_000,
  requestTimeout: 30_000,
  connectionsCheckingInterval: 5_000,
};

export type ApplicationConfig = {
  readonly host: string;
  /** 0 takes a free one. */
  readonly port: number;
  readonly publicUrl: string;
  readonly trustProxy: TrustProxy;
  readonly rateLimitScale: number;
  readonly databaseUrl: string;
  /** Makes roles, schemas and tables; may be the same as `databaseUrl`. */
  readonly migrateDatabaseUrl: string;
  readonly eventStoreUrl: string;
  readonly masterKey: string;
  readonly signingKey: string;
  readonly allowPrivateHosts?: string | undefined;
  readonly model: ModelSettings;
  readonly payments?: PaymentSettings;
  readonly mail?: MailSettings | undefined;
  readonly webFolder: string;
  /** When reservations that were left behind are looked into; a worker's own times without it. */
  readonly sweepTimes?: SweepTimes;
  /** When sessions that were left behind are looked into; a worker's own times without it. */
  readonly watchTimes?: WatchTimes;
  readonly log: Log;
};

export type Application = AsyncDisposable & { readonly port: number };

/** Command service with its worker, projector, query service and web app in one process. */
export async function startApplication(config: ApplicationConfig): Promise<Application> {
  await migrate(config.migrateDatabaseUrl, config.masterKey);
  await using opening = new AsyncDisposableStack();
  const opened = opening.use(await openKit(config));
  opening.use(await startProjector(config));
  opening.use(await startWorker(opened, config.model, config));
  const command = opening.use(await startCommandService(opened));
  const query = opening.use(await startQueryService({ ...config, observe: command.observe }));
  const web = opening.use(await serveWebAssets(config.webFolder, config.publicUrl));

  const server = createServer(SERVER_LIMITS, (request, response) => {
    const handler = chooseHandler(request, { command, query, web });
    handler.handle(request, response);
  });
  server.listen(config.port, config.host);
  await once(server, 'listening');
  opening.defer(async () => {
    server.closeAllConnections();
    await new Promise((resolve) => server.close(resolve));
  });
  const { port } = server.address() as AddressInfo;
  opened.features.testPayments?.sendTo(`http://${reachable(config.host)}:${port}`);
  const running = opening.move();
  return { port, [Symbol.asyncDispose]: () => running.disposeAsync() };
}

type Handler = { handle(request: IncomingMessage, response: ServerResponse): void };

const QUERY_PATHS: ReadonlySet<string> = new Set(['/healthz', '/readyz', '/metrics']);

/** What a reverse proxy does in the scaled deployment: reads and commands go separate ways. */
function chooseHandler(
  { method, url = '/' }: IncomingMessage,
  { command, query, web }: Record<'command' | 'query' | 'web', Handler>,
): Handler {
  const isRead = method === 'GET' || method === 'HEAD';
  if (!isRead) return command;
  const path = url.split('?')[0] ?? '';
  const isQuery = path.startsWith('/api/') || QUERY_PATHS.has(path);
  return isQuery ? query : web;
}
