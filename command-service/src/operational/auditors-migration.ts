import type { Migration } from '@tallyhand/service-kit/postgres/migrations';

/**
 * Auditors have access up to a moment. Their role is beside the others: of those, only the Admin's
 * includes it. So a key that lost the right to be one has no rights at all.
 */
export const auditorsMigration: Migration = {
  id: '0037-auditors',
  sql: `
    -- Of an Auditor: the end of the last day.
    alter table operational.access add column access_until timestamptz;
    -- Null: what both roles may do is no role.
    create or replace function operational.lesser_role(one text, other text) returns text
      language sql immutable set search_path = pg_catalog as $$
        select case when one = other then one when one = 'Admin' then other
          when other = 'Admin' then one when 'Auditor' in (one, other) then null
          else (array['Editor', 'AgentManager', 'Viewer'])[greatest(
            array_position(array['Editor', 'AgentManager', 'Viewer'], one),
            array_position(array['Editor', 'AgentManager', 'Viewer'], other))] end $$;
    create or replace function operational.caller_of(p_sign_in uuid) returns operational.caller
      language plpgsql stable security definer set search_path = pg_catalog as $$
      declare found_caller operational.caller;
      begin
        select s.sign_in_id, s.user_id, s.organization_id, a.role, s.user_id into found_caller
        from operational.sign_ins s join operational.access a on a.user_id = s.user_id
        where s.sign_in_id = p_sign_in and s.ended_at is null and s.expires_at > now()
          and s.last_seen_at > now() - interval '7 days' and a.is_active
          and (a.access_until is null or a.access_until > now())
          and a.organization_id = s.organization_id;
        if not found then
          select k.digest, k.key_id, k.organization_id, operational.lesser_role(k.role, m.role),
              k.member_id
            into found_caller
          from operational.api_keys k join operational.access m on m.user_id = k.member_id
          where k.digest = p_sign_in and k.revoked_at is null
            and (k.expires_at is null or k.expires_at > now())
            and m.organization_id = k.organization_id and m.is_active
            and (m.access_until is null or m.access_until > now())
            and operational.lesser_role(k.role, m.role) is not null;
        end if;
        return found_caller;
      end $$;
    -- When the access ended of an Auditor whose sign-in or key counts otherwise; null for others.
    create function operational.access_ended(p_sign_in uuid) returns timestamptz
      language sql stable security definer set search_path = pg_catalog as $$
        select a.access_until from operational.sign_ins s
          join operational.access a on a.user_id = s.user_id
        where s.sign_in_id = p_sign_in and s.ended_at is null and s.expires_at > now()
          and a.is_active and a.access_until <= now() and a.organization_id = s.organization_id
        union all
        select least(k.expires_at, m.access_until) from operational.api_keys k
          join operational.access m on m.user_id = k.member_id
        where k.digest = p_sign_in and k.revoked_at is null and m.is_active
          and operational.lesser_role(k.role, m.role) = 'Auditor'
          and least(k.expires_at, m.access_until) <= now() $$;
  `,
};
