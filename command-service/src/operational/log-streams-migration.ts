import type { Migration } from '@tallyhand/service-kit/postgres/migrations';

/** Where the audit logs of organizations are sent, and how far. */
export const logStreamsMigration: Migration = {
  id: '0042-log-streams',
  sql: `
    create table operational.log_streams (
      organization_id uuid primary key,
      -- Changes each time that the stream is set.
      stream_id uuid not null,
      kind text not null check (kind in ('webhook', 'syslog', 'splunk')),
      origin text not null,
      -- The address with its secrets.
      receiver bytea not null,
      -- Up to here the receiver has accepted the entries, and the checkpoints of these sizes.
      sequence bigint not null,
      checkpoint bigint not null,
      -- Entries of one batch: fewer for a receiver that found one too large.
      batch_max int not null,
      -- The receiver failed, or took long, in the last attempt.
      is_troubled boolean not null default false,
      delivered_at timestamptz,
      failures int not null default 0,
      failing_since timestamptz,
      failure text,
      next_at timestamptz not null default now(),
      created_at timestamptz not null,
      -- Of a closed organization: what is left is sent until then.
      ends_at timestamptz);
    create view operational.organization_log_stream with (security_barrier) as
      select organization_id, kind, origin, sequence, delivered_at, failing_since, failure, next_at,
        created_at
      from operational.log_streams
      where organization_id = nullif(current_setting('tallyhand.organization_id', true), '')::uuid;`,
};
