import type { Migration } from '@tallyhand/service-kit/postgres/migrations';

/** Which event store all the rest belongs to: that with this first event. */
export const eventStoreMigration: Migration = {
  id: '0021-event-store',
  sql: `
    create table operational.event_store (
      is_only boolean primary key default true check (is_only),
      first_event_id uuid not null,
      noted_at timestamptz not null default now());
  `,
};
