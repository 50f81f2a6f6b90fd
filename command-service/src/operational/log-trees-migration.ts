import type { Migration } from '@tallyhand/service-kit/postgres/migrations';

/** Trees of audit logs are computed from the event store, and the store is compared with them. */
export const logTreesMigration: Migration = {
  id: '0036-log-trees',
  sql: `
    create table operational.audit_trees (
      organization_id uuid primary key,
      size bigint not null,
      frontier jsonb not null,
      -- Of its newest event in the store.
      position text not null,
      -- Since when the log is longer than its newest checkpoint.
      unsigned_since timestamptz);
    create index on operational.audit_trees (unsigned_since) where unsigned_since is not null;
    drop table operational.unsigned_logs;
    -- Older checkpoints have neither. The text of a link names the link before it.
    alter table operational.audit_checkpoints
      drop column frontier, add column number bigint, add column link jsonb;
    create unique index on operational.audit_checkpoints (organization_id, number);
    create table operational.audit_differences (
      organization_id uuid not null,
      -- Found in the event store, or in the rows of the read model.
      place text not null check (place in ('store', 'rows')),
      first bigint not null,
      last bigint not null,
      found_at timestamptz not null default now(),
      primary key (organization_id, place));
    create table operational.audit_check (
      is_only boolean primary key default true check (is_only),
      checked_at timestamptz not null);
    -- The newest checkpoints of all logs, as one text with a time-stamp of another authority.
    create table operational.audit_anchors (
      number bigint primary key,
      text text not null,
      token bytea not null,
      authority text not null,
      -- By the clock of the authority.
      stamped_at timestamptz not null,
      made_at timestamptz not null default now());
    create table operational.audit_anchored (
      organization_id uuid not null,
      number bigint not null references operational.audit_anchors,
      checkpoint jsonb not null,
      size bigint not null,
      index int not null,
      proof jsonb not null,
      -- Not the first of this size.
      is_repeated boolean not null,
      primary key (organization_id, number));
    create index on operational.audit_anchored (organization_id, size);
    alter table operational.audit_anchored enable row level security;
    alter table operational.audit_anchored force row level security;
    create policy tenant on operational.audit_anchored using
      (organization_id = nullif(current_setting('tallyhand.organization_id', true), '')::uuid);
    create policy owner on operational.audit_anchored to current_user using (true);
    -- Of the time-stamps of a log that does not grow, the first and the last are kept: its entries
    -- existed at the first, and the next entry did not yet exist at the last.
    create function operational.keep_anchored(anchored jsonb) returns void
      language sql security definer set search_path = pg_catalog as $$
        with added as (
          select * from jsonb_to_recordset(anchored) as r(organization_id uuid, number bigint,
            checkpoint jsonb, size bigint, index int, proof jsonb)),
        gone as (
          delete from operational.audit_anchored o using added a
          where o.organization_id = a.organization_id and o.size = a.size and o.is_repeated)
        insert into operational.audit_anchored
          (organization_id, number, checkpoint, size, index, proof, is_repeated)
        select a.organization_id, a.number, a.checkpoint, a.size, a.index, a.proof,
          exists (select from operational.audit_anchored o
            where o.organization_id = a.organization_id and o.size = a.size)
        from added a;
      $$;
    create function operational.audit_figures()
      returns table (differences bigint, checked_seconds double precision,
        stamped_seconds double precision)
      language sql stable security definer set search_path = pg_catalog as $$
        select (select count(*) from operational.audit_differences),
          extract(epoch from now() - (select checked_at from operational.audit_check))::float8,
          extract(epoch from now() - (select max(made_at)
            from operational.audit_anchors))::float8;
      $$;
  `,
};
