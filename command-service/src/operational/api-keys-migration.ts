import type { Migration } from '@tallyhand/service-kit/postgres/migrations';

/** API keys as requests are checked by them, and how often each was used in an hour. */
export const apiKeysMigration: Migration = {
  id: '0014-api-keys',
  sql: `
    create table operational.api_keys (
      key_id uuid primary key,
      organization_id uuid not null,
      -- Who made it; of a key that was made with another, who made that.
      member_id uuid not null,
      -- What it is found by; the key itself is kept nowhere.
      digest uuid not null unique,
      name text not null,
      role text not null,
      expires_at timestamptz,
      revoked_at timestamptz,
      last_used_at timestamptz);
    create index on operational.api_keys (organization_id, member_id);
    create table operational.api_key_uses (
      key_id uuid not null,
      organization_id uuid not null,
      hour timestamptz not null,
      count bigint not null,
      primary key (key_id, hour));
    create index on operational.api_key_uses (hour);
    create index on operational.access (organization_id) where is_active;
    -- When each was used, for the organization that is set.
    create view operational.organization_api_keys with (security_barrier) as
      select key_id, organization_id, last_used_at from operational.api_keys
      where organization_id = nullif(current_setting('tallyhand.organization_id', true), '')::uuid;
    -- By the id of a sign-in, or the digest of a key. An organization that nobody is a member of
    -- any more has no keys either.
    create or replace function operational.authenticate(p_sign_in uuid)
      returns table (sign_in_id uuid, user_id uuid, organization_id uuid, role text)
      language sql stable security definer set search_path = pg_catalog as $$
        select s.sign_in_id, s.user_id, s.organization_id, a.role
        from operational.sign_ins s join operational.access a on a.user_id = s.user_id
        where s.sign_in_id = p_sign_in and s.ended_at is null and s.expires_at > now()
          and s.last_seen_at > now() - interval '7 days' and a.is_active and a.organization_id = s.organization_id
        union all
        select k.digest, k.key_id, k.organization_id, k.role from operational.api_keys k
        where k.digest = p_sign_in and k.revoked_at is null
          and (k.expires_at is null or k.expires_at > now())
          and exists (select from operational.access m
            where m.organization_id = k.organization_id and m.is_active) $$;
  `,
};
