import type { IncomingMessage, ServerResponse } from 'node:http';
import { KEY_CALLS_PER_MINUTE } from '@tallyhand/contracts/features/api-keys/api-keys.endpoints';
import { DependencyDown } from '@tallyhand/contracts/kernel/problem';
import { auditKeySource } from '@tallyhand/service-kit/audit-keys/key-settings';
import { auditSigning } from '@tallyhand/service-kit/audit-keys/signing';
import { sealedBox } from '@tallyhand/service-kit/crypto/sealed-box';
import { createHttpApp } from '@tallyhand/service-kit/http/app';
import { sendProblem } from '@tallyhand/service-kit/http/problem';
import { type Reads, readsOf } from '@tallyhand/service-kit/http/reads';
import { sharedKeyCalls } from '@tallyhand/service-kit/http/shared-key-calls';
import type { Metric } from '@tallyhand/service-kit/metrics/instruments';
import { openPool, roleUrl } from '@tallyhand/service-kit/postgres/pool';
import { followReadModels } from '@tallyhand/service-kit/postgres/read-position';
import { SEEN_EVERY_MS, throttle } from '@tallyhand/service-kit/throttle';
import type { FastifyInstance } from 'fastify';
import type pg from 'pg';
import { addRoutes } from './app/routes.ts';
import { measured } from './features/status/status.routes.ts';
import type { QuerySettings } from './kernel/context.ts';
import { liveChanges } from './kernel/live-changes.ts';
import { openReadLines } from './kernel/read-lines.ts';

/** For long and for occasional reads. */
const CONNECTIONS_MAX = 4;
/** For all other reads. */
const LINES = 6;
/** Times are in UTC wherever the server runs, and reads time out. */
const SESSION_OPTIONS = '-c TimeZone=UTC -c statement_timeout=10000';

type QueryServiceConfig = QuerySettings & {
  readonly databaseUrl: string;
  readonly masterKey: string;
};

type QueryService = AsyncDisposable & {
  /** Answers GET and HEAD. */
  handle(request: IncomingMessage, response: ServerResponse): void;
  /** Answers a service in the same process. */
  readonly reads: Reads;
  /** Whether it can answer, and a projector has run. */
  isReady(): Promise<boolean>;
  /** Metrics of ledgers, read models and jobs. */
  metrics(): Promise<readonly Metric[]>;
};

/** Serves every read from the read models, and notifies browsers of changes. */
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
  const noteSeen = throttle(SEEN_EVERY_MS, (signInId, at) =>
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
      report: (credentialId, count) => config.observe({ kind: 'key-used', credentialId, count }),
    }),
  );
  const context = {
    settings: config,
    pool,
    lines,
    box,
    readPosition,
    noteSeen,
    keyCalls: calls,
    auditSigning: auditSigning({ pool, source: auditKeySource(config.auditKey) }),
  };
  addRoutes(app, context, live);
  healthRoutes(app, pool);
  await app.ready();
  const opened = opening.move();
  return {
    handle: (request, response) => app.routing(request, response),
    reads: readsOf(app),
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

/** `/healthz`: the process is alive. `/readyz`: the database answers and a projector has run. */
function healthRoutes(app: FastifyInstance, pool: pg.Pool) {
  app.get('/healthz', async () => ({ status: 'ok' }));
  app.get('/readyz', async (_request, reply) => {
    const position = await readModelPosition(pool).catch(() => undefined);
    if (position === undefined) return sendProblem(reply, DependencyDown({ what: 'The database' }));
    if (position === null) return sendProblem(reply, DependencyDown({ what: 'The projector' }));
    return { status: 'ok' };
  });
}

/** Null until a projector has run for the first time. */
async function readModelPosition(pool: pg.Pool): Promise<string | null> {
  const { rows } = await pool.query<{ position: string | null }>(
    'select read_model.read_position() as position',
  );
  return rows[0]?.position ?? null;
}
