import type { Migration } from '@tallyhand/service-kit/postgres/migrations';

/** When members left, and which organizations erase them after some days or hold everything. */
export const retentionMigration: Migration = {
  id: '0040-retention',
  sql: `
    alter table operational.access add column left_at timestamptz;
    -- The days of those who left earlier begin now.
    update operational.access set left_at = now() where not is_active;
    create index on operational.access (organization_id, left_at) where not is_active;
    create table operational.retention (
      organization_id uuid primary key,
      days int,
      is_held boolean not null default false);
    -- Of people who have left; unlike pending ones, a legal hold may delay them.
    create table operational.waiting_erasures (
      user_id uuid primary key,
      organization_id uuid not null);`,
};
