import { getStatus } from '@tallyhand/contracts/features/status/status.endpoints';
import { NotFound } from '@tallyhand/contracts/kernel/problem';
import { isRefusal } from '@tallyhand/contracts/kernel/refusal';
import { isStoreLow } from '@tallyhand/service-kit/disk-space';
import { sendProblem } from '@tallyhand/service-kit/http/problem';
import { queryOf } from '@tallyhand/service-kit/http/request';
import { hasDirectHost } from '@tallyhand/service-kit/http/server';
import {
  instrumentMetrics,
  METRICS_TYPE,
  type Metric,
  metricsText,
  type Sample,
} from '@tallyhand/service-kit/metrics/instruments';
import { processMetrics } from '@tallyhand/service-kit/metrics/process-metrics';
import type { FastifyInstance, FastifyRequest } from 'fastify';
import type pg from 'pg';
import type { QueryContext } from '../../kernel/context.ts';
import {
  auditFigures,
  type Figures,
  ledgerDifferences,
  type ProjectionState,
  projectionStates,
  projectorState,
  type QueueState,
  queueStates,
  statusOf,
} from './status.ts';

/** The status of the product, without customer data. */
export function statusRoutes(app: FastifyInstance, { pool, settings }: QueryContext) {
  const ofProcess = processMetrics();
  app.addHook('onClose', async () => ofProcess.close());
  // Does not wait for read models: it must answer while they are behind.
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

/** All metrics, or only that the database is down. */
export async function measured(pool: pg.Pool): Promise<Metric[]> {
  try {
    const [figures, queues, stored] = await Promise.all([
      readFigures(pool),
      queueStates(pool),
      storedFigures(pool),
    ]);
    return [databaseUp(true), ...productMetrics(figures, queues), ...stored];
  } catch {
    // Callers still get this, and the metrics of the process.
    return [databaseUp(false)];
  }
}

async function readFigures(pool: pg.Pool): Promise<Figures> {
  const [differences, audit, projections, projector] = await Promise.all([
    ledgerDifferences(pool),
    auditFigures(pool),
    projectionStates(pool),
    projectorState(pool),
  ]);
  return { differences, audit, projections, projector };
}

const LOOPBACK = /^(127\.|::1$|::ffff:127\.)/;
const FORWARDED = /^(forwarded|via|x-forwarded-.*|x-real-ip)$/;

/**
 * Proxies and browsers connect from loopback too, so forwarded requests and foreign hosts are
 * refused.
 */
function isFromThisMachine({ socket, headers }: FastifyRequest): boolean {
  if (!LOOPBACK.test(socket.remoteAddress ?? '') || !hasDirectHost({ headers })) return false;
  return !Object.keys(headers).some((name) => FORWARDED.test(name));
}

const gauge = (name: string, help: string, samples: readonly Sample[]): Metric => ({
  name: `tallyhand_${name}`,
  help,
  samples,
  type: 'gauge',
});

/** When it is 0, all other figures are unknown. */
const databaseUp = (isUp: boolean): Metric =>
  gauge('database_up', '1 while the database answers.', [{ value: Number(isUp) }]);

/** Metrics of ledgers, read models and jobs. */
function productMetrics(figures: Figures, queues: readonly QueueState[]): Metric[] {
  const { differences, audit, projections, projector } = figures;
  const { checkedSeconds, stampedSeconds } = audit;
  const of = (value: (state: ProjectionState) => number): Sample[] =>
    projections.map((state) => ({
      labels: { projection: state.projection },
      value: value(state),
    }));
  const silent = projector.silentSeconds;
  return [
    gauge('ledger_differences', 'Differences found in ledgers since the last rebuild.', [
      { value: differences },
    ]),
    gauge('audit_log_differences', 'Audit logs that differ from the event store.', [
      { value: audit.differences },
    ]),
    gauge(
      'audit_check_age_seconds',
      'Time since audit logs were last compared with the event store.',
      checkedSeconds === null ? [] : [{ value: checkedSeconds }],
    ),
    gauge(
      'audit_timestamp_age_seconds',
      'Time since the newest time-stamp of audit logs; absent without an authority.',
      stampedSeconds === null ? [] : [{ value: stampedSeconds }],
    ),
    gauge(
      'projection_lag_seconds',
      'Age of the oldest event that is not applied yet.',
      of(({ lagSeconds }) => lagSeconds),
    ),
    gauge(
      'projection_lag_events',
      'Events that are not applied yet, at most 1000.',
      of(({ lagEvents }) => lagEvents),
    ),
    gauge(
      'projection_checkpoint_position',
      'Commit position of the last applied event.',
      of(({ position }) => position),
    ),
    gauge(
      'projection_parked_streams',
      'Streams that are parked after a failed event.',
      of(({ parked }) => parked),
    ),
    gauge(
      'projection_rebuilding',
      '1 during a rebuild.',
      of(({ isRebuilding }) => Number(isRebuilding)),
    ),
    gauge(
      'projector_silent_seconds',
      'Age of the last heartbeat of the projector.',
      silent === null ? [] : [{ value: silent }],
    ),
    gauge('event_store_up', '1 while the projector reaches the event store.', [
      { value: Number(projector.eventStoreError === null) },
    ]),
    ...queueMetrics(queues),
  ];
}

const queueMetrics = (queues: readonly QueueState[]): Metric[] => [
  gauge(
    'queue_jobs',
    'Waiting and active jobs.',
    queues.flatMap(({ queue, waiting, active }) => [
      { labels: { queue, state: 'waiting' }, value: waiting },
      { labels: { queue, state: 'active' }, value: active },
    ]),
  ),
  gauge(
    'queue_oldest_job_seconds',
    'Age of the oldest waiting job.',
    queues.map(({ queue, oldestSeconds }) => ({ labels: { queue }, value: oldestSeconds })),
  ),
];

type Figure = { readonly figure: string; readonly label: string; readonly value: number };

/** Figures with a metric of their own, by figure and label. */
const SINGLE: Readonly<Record<string, readonly [name: string, help: string]>> = {
  'reservations overdue-seconds': [
    'reservation_overdue_seconds',
    'Time since the oldest open reservation expired.',
  ],
  'runners alive': ['runners', 'Browser runners with a heartbeat in the last 30 s.'],
  'runners free-places': ['runner_places_free', 'Sessions that they could run in addition.'],
  'mails overdue-seconds': ['mail_overdue_seconds', 'Time since the oldest untried mail was due.'],
  'replies waiting': ['mailbox_replies_waiting', 'Replies of mailboxes waiting to be sent.'],
  'deliveries waiting': ['webhook_deliveries_waiting', 'Webhook deliveries waiting to be sent.'],
  'deliveries overdue-seconds': [
    'webhook_overdue_seconds',
    'Time since the oldest untried delivery was due.',
  ],
  'payments pending': ['payments_pending', 'Payments that are not final or not settled.'],
  'payments oldest-seconds': ['payment_pending_seconds', 'Age of the oldest of them.'],
  'erasures pending': ['erasures_pending', 'Unfinished erasures of people.'],
  'backup made-at': [
    'last_backup_timestamp_seconds',
    'Time of the newest backup; absent without backups, as in a cluster.',
  ],
  'backup bytes': ['last_backup_size_bytes', 'Size of the newest backup.'],
  'database bytes': ['database_size_bytes', 'Disk space used by the database.'],
};

/** Figures reported by state. */
const BY_STATE: Readonly<Record<string, string>> = {
  reservations: 'Open reservations; expired ones are about to be settled.',
  sessions: 'Unfinished autonomous sessions; unheard: no heartbeat of their runner for 1 min.',
  mails: 'Mail to be sent, and failed or uncertain mail of the last day.',
  mailboxes: 'Connected mailboxes; failing: three polls in a row; stopped: given up.',
  webhooks: 'Webhooks; failing: the last attempt failed; disabled: by a person or given up.',
};

/** Figures from tables that the query service may not read. */
async function storedFigures(pool: pg.Pool): Promise<Metric[]> {
  const { rows } = await pool.query<Figure>(
    'select figure, label, value from operational.product_figures()',
  );
  return metricsOf(rows);
}

function metricsOf(figures: readonly Figure[]): Metric[] {
  const metrics = new Map<string, { help: string; samples: Sample[] }>();
  for (const { figure, label, value } of figures) {
    const [name, help, labels] = placeOf(figure, label);
    const known = metrics.get(name) ?? { help, samples: [] };
    known.samples.push({ labels, value });
    metrics.set(name, known);
  }
  return [...metrics].map(([name, { help, samples }]) => ({
    name: `tallyhand_${name}`,
    help,
    samples,
    type: 'gauge',
  }));
}

function placeOf(figure: string, label: string): [string, string, Record<string, string>] {
  const single = SINGLE[`${figure} ${label}`];
  return single ? [...single, {}] : [figure, BY_STATE[figure] ?? '', { state: label }];
}
