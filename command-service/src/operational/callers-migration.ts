import type { Migration } from '@tallyhand/service-kit/postgres/migrations';

/**
 * The rule for valid sign-ins and API keys, cheap enough for each request: a scalar instead of a
 * set of rows, from statements with cached plans.
 */
export const callersMigration: Migration = {
  id: '0023-callers',
  sql: `
    create type operational.caller as
      (sign_in_id uuid, user_id uuid, organization_id uuid, role text);
    -- All null where it does not count.
    create function operational.caller_of(p_sign_in uuid) returns operational.caller
      language plpgsql stable security definer set search_path = pg_catalog as $$
      declare found_caller operational.caller;
      begin
        select s.sign_in_id, s.user_id, s.organization_id, a.role into found_caller
        from operational.sign_ins s join operational.access a on a.user_id = s.user_id
        where s.sign_in_id = p_sign_in and s.ended_at is null and s.expires_at > now()
          and s.last_seen_at > now() - interval '7 days' and a.is_active
          and a.organization_id = s.organization_id;
        if not found then
          select k.digest, k.key_id, k.organization_id, operational.lesser_role(k.role, m.role)
            into found_caller
          from operational.api_keys k join operational.access m on m.user_id = k.member_id
          where k.digest = p_sign_in and k.revoked_at is null
            and (k.expires_at is null or k.expires_at > now())
            and m.organization_id = k.organization_id and m.is_active;
        end if;
        return found_caller;
      end $$;
    create or replace function operational.authenticate(p_sign_in uuid)
      returns table (sign_in_id uuid, user_id uuid, organization_id uuid, role text)
      language sql stable as $$
        select c.sign_in_id, c.user_id, c.organization_id, c.role
        from operational.caller_of(p_sign_in) c where c.sign_in_id is not null $$;
  `,
};
