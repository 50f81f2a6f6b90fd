import type { Metric, Sample } from '@tallyhand/service-kit/metrics/text-format';
import type { ProjectionState, QueueState } from './status.queries.ts';
import type { Figures } from './status.ts';

const gauge = (name: string, help: string, samples: readonly Sample[]): Metric => ({
  name: `tallyhand_${name}`,
  help,
  samples,
  type: 'gauge',
});

/** Without it nothing is known of all that follows. */
export const databaseUp = (isUp: boolean): Metric =>
  gauge('database_up', '1 while the database answers.', [{ value: Number(isUp) }]);

/** What is measured of ledgers, read models and jobs. */
export function productMetrics(figures: Figures, queues: readonly QueueState[]): Metric[] {
  const { differences, projections, projector } = figures;
  const of = (value: (state: ProjectionState) => number): Sample[] =>
    projections.map((state) => ({
      labels: { projection: state.projection },
      value: value(state),
    }));
  const silent = projector.silentSeconds;
  return [
    gauge('ledger_differences', 'Differences found in ledgers since their tables were made.', [
      { value: differences },
    ]),
    gauge(
      'projection_lag_seconds',
      'Age of the oldest event that is not in the rows yet.',
      of(({ lagSeconds }) => lagSeconds),
    ),
    gauge(
      'projection_lag_events',
      'Events that are not in the rows yet; 1000 and more are 1000.',
      of(({ lagEvents }) => lagEvents),
    ),
    gauge(
      'projection_checkpoint_position',
      'Commit position up to which the rows are.',
      of(({ position }) => position),
    ),
    gauge(
      'projection_parked_streams',
      'Streams that wait since one of their events failed.',
      of(({ parked }) => parked),
    ),
    gauge(
      'projection_rebuilding',
      '1 while the tables are rebuilt.',
      of(({ isRebuilding }) => Number(isRebuilding)),
    ),
    gauge(
      'projector_silent_seconds',
      'Since the projector has last told that it lives.',
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
    'Jobs that wait or are at work.',
    queues.flatMap(({ queue, waiting, active }) => [
      { labels: { queue, state: 'waiting' }, value: waiting },
      { labels: { queue, state: 'active' }, value: active },
    ]),
  ),
  gauge(
    'queue_oldest_job_seconds',
    'How long the oldest job has waited for its turn.',
    queues.map(({ queue, oldestSeconds }) => ({ labels: { queue }, value: oldestSeconds })),
  ),
];
