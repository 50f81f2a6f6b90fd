import { getStatus } from '@tallyhand/contracts/features/status/status.endpoints';
import { NotFound } from '@tallyhand/contracts/kernel/problem';
import { isRefusal } from '@tallyhand/contracts/kernel/refusal';
import { isStoreLow } from '@tallyhand/service-kit/disk-space';
import { hasDirectHost } from '@tallyhand/service-kit/http/direct-host';
import { sendProblem } from '@tallyhand/service-kit/http/problem';
import { queryOf } from '@tallyhand/service-kit/http/request';
import { instrumentMetrics } from '@tallyhand/service-kit/metrics/instruments';
import { processMetrics } from '@tallyhand/service-kit/metrics/process-metrics';
import { METRICS_TYPE, type Metric, metricsText } from '@tallyhand/service-kit/metrics/text-format';
import type { FastifyInstance, FastifyRequest } from 'fastify';
import type pg from 'pg';
import type { QueryContext } from '../../kernel/context.ts';
import { databaseUp, productMetrics } from './metrics.ts';
import {
  ledgerDifferences,
  projectionStates,
  projectorState,
  queueStates,
} from './status.queries.ts';
import { type Figures, statusOf } from './status.ts';
import { storedFigures } from './stored-figures.ts';

/** What the product checks of itself, without a word about whose data it is. */
export function statusRoutes(app: FastifyInstance, { pool, settings }: QueryContext) {
  const ofProcess = processMetrics();
  app.addHook('onClose', async () => ofProcess.close());
  // It waits for no read model: it must answer while they are behind.
  app.get(getStatus.path, async (request, reply) => {
    const query = queryOf(request);
    if (isRefusal(query)) return sendProblem(reply, query);
    return statusOf(
      await readFigures(pool).catch(() => null),
      isStoreLow(settings.disks?.() ?? []),
    );
  });
  const figures = (path: string, read: () => Promise<string>) =>
    app.get(path, async (request, reply) =>
      isFromThisMachine(request)
        ? reply.type(METRICS_TYPE).send(await read())
        : sendProblem(reply, NotFound({ what: 'address' })),
    );
  figures('/metrics', async () =>
    metricsText([...(await measured(pool)), ...instrumentMetrics(), ...ofProcess.metrics()]),
  );
  if (settings.runnerFigures) figures('/metrics/browser-runner', settings.runnerFigures);
}

/** Figures of ledgers, read models and jobs, and of what else is stored; whether there are any. */
export async function measured(pool: pg.Pool): Promise<Metric[]> {
  try {
    const [figures, queues, stored] = await Promise.all([
      readFigures(pool),
      queueStates(pool),
      storedFigures(pool),
    ]);
    return [databaseUp(true), ...productMetrics(figures, queues), ...stored];
  } catch {
    // Callers then get at least this, and the state of the process.
    return [databaseUp(false)];
  }
}

async function readFigures(pool: pg.Pool): Promise<Figures> {
  const [differences, projections, projector] = await Promise.all([
    ledgerDifferences(pool),
    projectionStates(pool),
    projectorState(pool),
  ]);
  return { differences, projections, projector };
}

const LOOPBACK = /^(127\.|::1$|::ffff:127\.)/;
const FORWARDED = /^(forwarded|via|x-forwarded-.*|x-real-ip)$/;

/** A proxy and a browser connect from loopback too: forwarded calls and rebound names are refused. */
function isFromThisMachine({ socket, headers }: FastifyRequest): boolean {
  if (!LOOPBACK.test(socket.remoteAddress ?? '') || !hasDirectHost({ headers })) return false;
  return !Object.keys(headers).some((name) => FORWARDED.test(name));
}
