import type { IncomingMessage, ServerResponse } from 'node:http';
import { createHttpApp } from '@tallyhand/service-kit/http/app';
import { openPool, roleUrl } from '@tallyhand/service-kit/postgres/pool';
import { followReadModels } from '@tallyhand/service-kit/postgres/read-position';
import { addRoutes } from './app/routes.ts';
import type { QuerySettings } from './kernel/context.ts';
import { healthRoutes } from './kernel/health.ts';
import { liveChanges } from './kernel/live-changes.ts';

const CONNECTIONS_MAX = 10;

export type QueryServiceConfig = QuerySettings & {
  readonly databaseUrl: string;
  readonly masterKey: string;
};

export type QueryService = AsyncDisposable & {
  /** Answers GET and HEAD. */
  handle(request: IncomingMessage, response: ServerResponse): void;
};

/** Serves every read from the read models, and tells browsers what has changed. */
export async function start(config: QueryServiceConfig): Promise<QueryService> {
  await using opening = new AsyncDisposableStack();
  const { databaseUrl, masterKey, log } = config;
  const url = roleUrl(databaseUrl, masterKey, 'query');
  const pool = opening.adopt(openPool(url, CONNECTIONS_MAX), (p) => p.end());
  const live = liveChanges(pool, config);
  const { onChange } = live;
  const readPosition = opening.use(await followReadModels({ url, log, onChange }));
  const app = await createHttpApp(config);
  opening.defer(() => app.close());
  opening.use(live);
  addRoutes(app, { settings: config, pool, readPosition });
  live.addRoute(app);
  healthRoutes(app, pool);
  await app.ready();
  const opened = opening.move();
  return {
    handle: (request, response) => app.routing(request, response),
    [Symbol.asyncDispose]: () => opened.disposeAsync(),
  };
}
