import type { IncomingMessage, ServerResponse } from 'node:http';
import { KEY_CALLS_PER_MINUTE } from '@tallyhand/contracts/features/api-keys/api-keys.endpoints';
import { sealedBox } from '@tallyhand/service-kit/crypto/sealed-box';
import { createHttpApp } from '@tallyhand/service-kit/http/app';
import { sharedKeyCalls } from '@tallyhand/service-kit/http/shared-key-calls';
import type { Metric } from '@tallyhand/service-kit/metrics/text-format';
import { nowAndThen, SEEN_EVERY_MS } from '@tallyhand/service-kit/now-and-then';
import { openPool, roleUrl } from '@tallyhand/service-kit/postgres/pool';
import { followReadModels } from '@tallyhand/service-kit/postgres/read-position';
import { addRoutes } from './app/routes.ts';
import { measured } from './features/status/status.routes.ts';
import type { QuerySettings } from './kernel/context.ts';
import { healthRoutes, readModelPosition } from './kernel/health.ts';
import { liveChanges } from './kernel/live-changes.ts';
import { openReadLines } from './kernel/read-lines.ts';

/** For what may take long, and for what is asked now and then. */
const CONNECTIONS_MAX = 4;
/** For all other reads. */
const LINES = 6;
/** Moments are told in UTC wherever the server stands, and no read runs for ever. */
const SESSION_OPTIONS = '-c TimeZone=UTC -c statement_timeout=10000';

export type QueryServiceConfig = QuerySettings & {
  readonly databaseUrl: string;
  readonly masterKey: string;
};

export type QueryService = AsyncDisposable & {
  /** Answers GET and HEAD. */
  handle(request: IncomingMessage, response: ServerResponse): void;
  /** Whether it can answer, and a projector has run. */
  isReady(): Promise<boolean>;
  /** Figures of ledgers, read models and jobs. */
  metrics(): Promise<readonly Metric[]>;
};

/** Serves every read from the read models, and tells browsers what has changed. */
export async function start(config: QueryServiceConfig): Promise<QueryService> {
  await using opening = new AsyncDisposableStack();
  const url = sessionUrl(config);
  const pool = opening.adopt(openPool(url, CONNECTIONS_MAX), (p) => p.end());
  const lines = opening.use(openReadLines(url, LINES));
  const live = opening.use(liveChanges(pool, config));
  const { log } = config;
  const { onChange } = live;
  const readPosition = opening.use(await followReadModels({ url, log, onChange }));
  const app = await createHttpApp(config);
  opening.defer(() => app.close());
  const box = sealedBox(config.masterKey);
  const noteSeen = nowAndThen(SEEN_EVERY_MS, (signInId, at) =>
    config.observe({ kind: 'seen', signInId, at: at.toISOString() }),
  );
  const calls = opening.use(
    await sharedKeyCalls({
      service: 'reads',
      pool,
      url,
      log,
      perMinute: KEY_CALLS_PER_MINUTE,
      scale: config.rateLimitScale,
      tell: (credentialId, count) => config.observe({ kind: 'key-used', credentialId, count }),
    }),
  );
  addRoutes(app, { settings: config, pool, lines, box, readPosition, noteSeen, keyCalls: calls });
  live.addRoute(app);
  healthRoutes(app, pool);
  await app.ready();
  const opened = opening.move();
  return {
    handle: (request, response) => app.routing(request, response),
    isReady: async () => (await readModelPosition(pool)) !== null,
    metrics: () => measured(pool),
    [Symbol.asyncDispose]: () => opened.disposeAsync(),
  };
}

function sessionUrl({ databaseUrl, masterKey }: QueryServiceConfig): string {
  const url = new URL(roleUrl(databaseUrl, masterKey, 'query'));
  const given = url.searchParams.get('options');
  url.searchParams.set('options', given ? `${given} ${SESSION_OPTIONS}` : SESSION_OPTIONS);
  return url.href;
}
