import type { Migration } from '@tallyhand/service-kit/postgres/migrations';

/** Logs whose checkpoints are published each hour, day or week. */
export const checkpointSchedulesMigration: Migration = {
  id: '0039-checkpoint-schedules',
  sql: `
    create table operational.checkpoint_schedules (
      organization_id uuid primary key,
      every text not null check (every in ('hour', 'day', 'week')),
      -- The beginning of the newest period that has a checkpoint.
      published timestamptz);
    create index on operational.checkpoint_schedules (published nulls first, organization_id);`,
};
