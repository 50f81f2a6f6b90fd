import type { Migration } from '@tallyhand/service-kit/postgres/migrations';

/** For an API key, too, the member whose limits it counts for: its creator. */
export const membersOfCallersMigration: Migration = {
  id: '0026-members-of-callers',
  sql: `
    alter type operational.caller add attribute member_id uuid;
    create or replace function operational.caller_of(p_sign_in uuid) returns operational.caller
      language plpgsql stable security definer set search_path = pg_catalog as $$
      declare found_caller operational.caller;
      begin
        select s.sign_in_id, s.user_id, s.organization_id, a.role, s.user_id into found_caller
        from operational.sign_ins s join operational.access a on a.user_id = s.user_id
        where s.sign_in_id = p_sign_in and s.ended_at is null and s.expires_at > now()
          and s.last_seen_at > now() - interval '7 days' and a.is_active
          and a.organization_id = s.organization_id;
        if not found then
          select k.digest, k.key_id, k.organization_id, operational.lesser_role(k.role, m.role),
              k.member_id
            into found_caller
          from operational.api_keys k join operational.access m on m.user_id = k.member_id
          where k.digest = p_sign_in and k.revoked_at is null
            and (k.expires_at is null or k.expires_at > now())
            and m.organization_id = k.organization_id and m.is_active;
        end if;
        return found_caller;
      end $$;
  `,
};
