import type { Migration } from '@tallyhand/service-kit/postgres/migrations';

/** An API key never has more rights than its creator has now, and none without them. */
export const keysOfMembersMigration: Migration = {
  id: '0018-keys-of-members',
  sql: `
    -- Each role may do all that those behind it may.
    create function operational.lesser_role(one text, other text) returns text
      language sql immutable set search_path = pg_catalog as $$
        select (array['Admin', 'Editor', 'AgentManager', 'Viewer'])[greatest(
          array_position(array['Admin', 'Editor', 'AgentManager', 'Viewer'], one),
          array_position(array['Admin', 'Editor', 'AgentManager', 'Viewer'], other))] $$;
    create or replace function operational.authenticate(p_sign_in uuid)
      returns table (sign_in_id uuid, user_id uuid, organization_id uuid, role text)
      language sql stable security definer set search_path = pg_catalog as $$
        select s.sign_in_id, s.user_id, s.organization_id, a.role
        from operational.sign_ins s join operational.access a on a.user_id = s.user_id
        where s.sign_in_id = p_sign_in and s.ended_at is null and s.expires_at > now()
          and s.last_seen_at > now() - interval '7 days' and a.is_active
          and a.organization_id = s.organization_id
        union all
        select k.digest, k.key_id, k.organization_id, operational.lesser_role(k.role, m.role)
        from operational.api_keys k join operational.access m on m.user_id = k.member_id
        where k.digest = p_sign_in and k.revoked_at is null
          and (k.expires_at is null or k.expires_at > now())
          and m.organization_id = k.organization_id and m.is_active $$;
  `,
};
