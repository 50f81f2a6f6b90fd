/** Takes the place of a projection's name for events that no projection can read. */
export const UNREADABLE_EVENTS = 'unreadable-events';

/** The projector's records of its own work. They survive rebuilds. */
export const OPERATING_TABLES = `
  create table if not exists read_model.parked_streams (
    projection text not null,
    is_next boolean not null,
    stream text not null,
    event_id uuid not null,
    event_type text not null,
    revision bigint not null,
    position text not null,
    error text not null,
    parked_at timestamptz not null default now(),
    later_events bigint not null default 0,
    primary key (projection, is_next, stream)
  );
  create table if not exists read_model.skipped_events (
    projection text not null,
    event_id uuid not null,
    event_type text not null,
    stream text not null,
    position text not null,
    reason text not null,
    skipped_at timestamptz not null default now(),
    primary key (projection, event_id)
  );
  create table if not exists read_model.rebuilds (
    projection text primary key,
    version int not null,
    state text not null,
    accepts_differences boolean not null,
    position text not null,
    events_done bigint not null default 0,
    events_total bigint not null default 0,
    detail text,
    requested_at timestamptz not null default now(),
    started_at timestamptz,
    updated_at timestamptz not null default now()
  );
  alter table read_model.rebuilds add column if not exists is_indexed boolean not null
    default false;
  create table if not exists read_model.operator_requests (
    request_id uuid primary key,
    request jsonb not null,
    requested_at timestamptz not null default now(),
    answer jsonb
  );
  create table if not exists read_model.projector_heartbeat (
    is_only boolean primary key default true check (is_only),
    beat_at timestamptz not null,
    event_store_error text
  );
  create table if not exists read_model.projection_lags (
    projection text primary key,
    seconds double precision not null,
    events bigint not null
  );
`;

export const OPERATING_TABLE_NAMES = [
  'parked_streams',
  'skipped_events',
  'rebuilds',
  'operator_requests',
  'projector_heartbeat',
  'projection_lags',
].map((name) => `read_model.${name}`);

/**
 * The projector can create, drop and switch to the next tables of a model, and no others: it runs
 * statements stored by the migration. The states expose no customer data.
 */
export const OPERATING_FUNCTIONS = `
  create or replace function read_model.drop_next(p_model text) returns void
    language plpgsql security definer set search_path = pg_catalog as $$
    declare name text;
    begin
      for name in select unnest(m.tables) from read_model.models m where m.name = p_model loop
        execute format('drop table if exists read_model_next.%I', name);
      end loop;
      delete from read_model_next.checks c where c.projection = p_model;
    end $$;
  create or replace function read_model.make_next(p_model text) returns void
    language plpgsql security definer set search_path = pg_catalog as $$
    begin
      perform read_model.drop_next(p_model);
      execute (select replace(m.ddl, 'read_model.', 'read_model_next.')
        from read_model.models m where m.name = p_model);
    end $$;
  create or replace function read_model.index_next(p_model text) returns void
    language plpgsql security definer set search_path = pg_catalog as $$
    declare statements text;
    begin
      select replace(m.indexes, 'read_model.', 'read_model_next.') into strict statements
        from read_model.models m where m.name = p_model;
      if statements <> '' then execute statements; end if;
    end $$;
  create or replace function read_model.switch_to_next(p_model text) returns void
    language plpgsql security definer set search_path = pg_catalog as $$
    declare name text; names text[];
    begin
      select m.tables into strict names from read_model.models m where m.name = p_model;
      -- All at once, so that no read holds one of them while it waits for another.
      execute (select 'lock table ' || string_agg(format('read_model.%I', n), ', ')
          || ' in access exclusive mode' from unnest(names) n);
      foreach name in array names loop
        execute format('drop table read_model.%I', name);
        execute format('alter table read_model_next.%I set schema read_model', name);
      end loop;
      delete from read_model.checks c where c.projection = p_model;
      insert into read_model.checks
        select * from read_model_next.checks c where c.projection = p_model;
      delete from read_model_next.checks c where c.projection = p_model;
      update read_model.models m set is_outdated = false where m.name = p_model;
    end $$;
  create or replace function read_model.projection_states()
    returns table (projection text, commit_position bigint, lag_seconds double precision,
      lag_events bigint, parked bigint, rebuild text)
    language sql stable security definer set search_path = pg_catalog as $$
      select c.projection, c.commit_position, coalesce(l.seconds, 0), coalesce(l.events, 0),
        (select count(*) from read_model.parked_streams p
          where p.projection = c.projection and not p.is_next), r.state
      from read_model.checkpoints c
      left join read_model.projection_lags l using (projection)
      left join read_model.rebuilds r using (projection)
      union all
      select p.projection, 0, 0, 0, count(*), null
      from read_model.parked_streams p
      where p.projection = '${UNREADABLE_EVENTS}' and not p.is_next
      group by p.projection $$;
  create or replace function read_model.projector_state()
    returns table (silent_seconds double precision, event_store_error text)
    language sql stable security definer set search_path = pg_catalog as $$
      select extract(epoch from now() - h.beat_at)::double precision, h.event_store_error
      from read_model.projector_heartbeat h $$;
`;

/** An operator's request to the running projector; null means every projection. */
export type OperatorRequest =
  | {
      readonly kind: 'rebuild';
      readonly projections: readonly string[] | null;
      readonly acceptsDifferences: boolean;
    }
  | { readonly kind: 'cancel-rebuild'; readonly projections: readonly string[] | null }
  | { readonly kind: 'retry-event'; readonly eventId: string }
  | { readonly kind: 'skip-event'; readonly eventId: string; readonly reason: string };

export type OperatorAnswer = { readonly isDone: boolean; readonly message: string };

/** The advisory lock of the active projector; an arbitrary number. */
export const PROJECTOR_LOCK = 7_261_945;
