import type { Migration } from '@tallyhand/service-kit/postgres/migrations';

/** Idle sign-ins end; single-use links; the second factor; released addresses. */
export const accountSafetyMigration: Migration = {
  id: '0012-account-safety',
  sql: `
    alter table operational.sign_ins add column last_seen_at timestamptz not null default now();
    -- A key that is null was destroyed, and is never made again.
    alter table operational.person_keys alter column sealed drop not null;
    -- Whether the browser had signed in to this account before.
    alter table operational.sign_in_failures add column is_known boolean not null default false;
    create table operational.account_tokens (
      token_hash text primary key,
      kind text not null,
      user_id uuid not null,
      organization_id uuid not null,
      -- The change of address that it undoes.
      change_id uuid,
      made_at timestamptz not null default now(),
      expires_at timestamptz not null,
      used_at timestamptz);
    create index on operational.account_tokens (user_id);
    create index on operational.account_tokens (expires_at);
    create table operational.held_addresses (
      email_key text primary key,
      user_id uuid not null,
      organization_id uuid not null,
      held_until timestamptz not null);
    create index on operational.held_addresses (held_until);
    create index on operational.held_addresses (user_id);
    create table operational.second_factors (
      factor_id uuid primary key,
      user_id uuid not null,
      sealed bytea not null,
      made_at timestamptz not null default now(),
      enabled_at timestamptz,
      -- The step of time of the newest code that was used: none is used twice.
      last_step bigint not null default 0);
    create unique index on operational.second_factors (user_id) where enabled_at is not null;
    create index on operational.second_factors (user_id);
    create table operational.recovery_codes (
      factor_id uuid not null references operational.second_factors on delete cascade,
      code_hash text not null,
      used_at timestamptz,
      primary key (factor_id, code_hash));

    create or replace function operational.authenticate(p_sign_in uuid)
      returns table (sign_in_id uuid, user_id uuid, organization_id uuid, role text)
      language sql stable security definer set search_path = pg_catalog as $$
        select s.sign_in_id, s.user_id, s.organization_id, a.role
        from operational.sign_ins s join operational.access a on a.user_id = s.user_id
        where s.sign_in_id = p_sign_in and s.ended_at is null and s.expires_at > now()
          and s.last_seen_at > now() - interval '7 days'
          and a.is_active and a.organization_id = s.organization_id $$;
    -- The sign-ins of a person that still count.
    create function operational.sign_ins_of(p_user uuid)
      returns table (sign_in_id uuid, created_at timestamptz, last_seen_at timestamptz)
      language sql stable security definer set search_path = pg_catalog as $$
        select s.sign_in_id, s.created_at, s.last_seen_at from operational.sign_ins s
        where s.user_id = p_user and s.ended_at is null and s.expires_at > now()
          and s.last_seen_at > now() - interval '7 days' $$;
    -- Always one row.
    create function operational.second_factor_of(p_user uuid)
      returns table (enabled_at timestamptz, codes_left int)
      language sql stable security definer set search_path = pg_catalog as $$
        select max(f.enabled_at), count(c.code_hash)::int
        from operational.second_factors f
        left join operational.recovery_codes c on c.factor_id = f.factor_id and c.used_at is null
        where f.user_id = p_user and f.enabled_at is not null $$;
  `,
};

/** Pending erasures. */
export const erasuresMigration: Migration = {
  id: '0015-erasures',
  sql: `
    create table operational.pending_erasures (
      user_id uuid primary key,
      organization_id uuid not null,
      keys uuid[] not null,
      asked_at timestamptz not null default now());
  `,
};
