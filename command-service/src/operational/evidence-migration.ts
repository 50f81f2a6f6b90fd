import type { Migration } from '@tallyhand/service-kit/postgres/migrations';

/** Backups and checks of the audit logs over time, as evidence for auditors. Days are UTC. */
export const evidenceMigration: Migration = {
  id: '0041-evidence',
  sql: `
    create table operational.backups (
      made_at timestamptz primary key,
      bytes bigint not null);
    insert into operational.backups select made_at, bytes from operational.last_backup;
    -- How often the whole event store was compared with the trees of all logs.
    create table operational.log_checks (
      day date primary key,
      checks int not null);
    -- How many of these comparisons found that a log differs.
    create table operational.log_check_differences (
      organization_id uuid not null,
      day date not null,
      checks int not null,
      primary key (organization_id, day));`,
};
