import type { Migration } from '@tallyhand/service-kit/postgres/migrations';

/** The queue of autonomous sessions, their runners, and their screenshots. */
export const sessionsMigration: Migration = {
  id: '0010-sessions',
  sql: `
    create table operational.open_sessions (
      session_id uuid primary key,
      organization_id uuid not null,
      added_at timestamptz not null default now(),
      deadline timestamptz not null,
      -- False until its stream begins: a place that is taken, nothing to be run.
      is_requested boolean not null default false,
      runner_id uuid,
      claimed_at timestamptz,
      -- When a runner that held it was last heard of.
      seen_at timestamptz);
    create index on operational.open_sessions (organization_id);
    create table operational.session_browsers (
      browser_session_id uuid primary key,
      session_id uuid not null,
      opened_at timestamptz not null default now());
    create table operational.runners (
      runner_id uuid primary key,
      address text not null,
      free int not null,
      seen_at timestamptz not null default now());
    create table operational.session_steps (
      step_id uuid primary key,
      session_id uuid not null,
      organization_id uuid not null,
      step_number int not null,
      begun_at timestamptz not null default now(),
      is_settled boolean not null default false);
    create index on operational.session_steps (session_id);
    create table operational.images (
      organization_id uuid not null,
      hash text not null,
      content bytea not null,
      made_at timestamptz not null default now(),
      primary key (organization_id, hash));
    -- Pictures are squeezed already.
    alter table operational.images alter column content set storage external;
    alter table operational.images enable row level security;
    alter table operational.images force row level security;
    create policy tenant on operational.images using
      (organization_id = nullif(current_setting('tallyhand.organization_id', true), '')::uuid);

    -- Whoever has the fewest running comes first, then whoever waits longest.
    create view operational.waiting_sessions as
      select w.session_id, w.added_at,
        row_number() over (partition by w.organization_id order by w.added_at, w.session_id)
          + (select count(*) from operational.open_sessions r
             where r.organization_id = w.organization_id and r.runner_id is not null) as turn
      from operational.open_sessions w where w.runner_id is null and w.is_requested;

    -- Whether there was a place for it; several at once wait for each other.
    create function operational.open_session(
        p_session uuid, p_organization uuid, p_deadline timestamptz, p_max int)
      returns boolean language plpgsql security definer set search_path = pg_catalog as $$
      begin
        perform pg_advisory_xact_lock(hashtextextended('open_session ' || p_organization, 0));
        insert into operational.open_sessions (session_id, organization_id, deadline)
        select p_session, p_organization, p_deadline
        where p_max > (select count(*) from operational.open_sessions
          where organization_id = p_organization and session_id <> p_session)
        on conflict do nothing;
        return exists (select from operational.open_sessions where session_id = p_session);
      end $$;

    -- How many are taken up before it, as things stand.
    create function operational.sessions_before(p_session uuid) returns int
      language sql stable security definer set search_path = pg_catalog as $$
        select count(*)::int
        from operational.waiting_sessions own join operational.waiting_sessions other
          on (other.turn, other.added_at, other.session_id)
            < (own.turn, own.added_at, own.session_id)
        where own.session_id = p_session $$;
  `,
};
