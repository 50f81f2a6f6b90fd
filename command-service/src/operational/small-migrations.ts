import type { Migration } from '@tallyhand/service-kit/postgres/migrations';

/**
 * A hash of what a secret was entered for. Null: sealed before secrets were bound, or the sealed
 * value itself names its servers.
 */
export const boundSecretsMigration: Migration = {
  id: '0024-bound-secrets',
  sql: `
    alter table operational.tool_credentials add column bound_to text;
    alter table operational.mailbox_credentials add column bound_to text;
  `,
};

/** Which event store all the rest belongs to: that with this first event. */
export const eventStoreMigration: Migration = {
  id: '0021-event-store',
  sql: `
    create table operational.event_store (
      is_only boolean primary key default true check (is_only),
      first_event_id uuid not null,
      noted_at timestamptz not null default now());
  `,
};

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

/** When each member of the organization that is set was here last. */
export const lastSeenMigration: Migration = {
  id: '0013-last-seen',
  sql: `
    create index on operational.sign_ins (organization_id);
    create view operational.organization_last_seen with (security_barrier) as
      select user_id, max(last_seen_at) as last_seen_at from operational.sign_ins
      where organization_id = nullif(current_setting('tallyhand.organization_id', true), '')::uuid
      group by user_id;
  `,
};

/**
 * Lists are read along an index in their order, after the columns they filter by. PostgreSQL plans
 * a view with a security barrier separately, without the requested order. These views filter by
 * organization without one, too: the barrier only hides other rows from functions of the query, and
 * all queries are the product's own.
 */
export const listOrdersMigration: Migration = {
  id: '0025-list-orders',
  sql: `
    drop index operational.webhooks_organization_id_idx;
    create index on operational.webhooks (organization_id, created_at, webhook_id);
    drop index operational.webhook_deliveries_webhook_id_created_at_delivery_id_idx;
    create index on operational.webhook_deliveries (webhook_id, state, created_at, delivery_id);
    drop index operational.outgoing_mail_organization_id_made_at_idx;
    create index on operational.outgoing_mail (organization_id, made_at, mail_id);
    drop index operational.outgoing_mail_about_id_idx;
    create index on operational.outgoing_mail (about_id, made_at);
    -- An organization is taken for a part of the table as it is now, as in the read models.
    alter table operational.webhooks alter column organization_id set statistics 0;
    alter table operational.webhook_deliveries alter column organization_id set statistics 0;
    alter table operational.outgoing_mail alter column organization_id set statistics 0;
    alter table operational.sign_ins alter column organization_id set statistics 0;
    alter view operational.organization_webhooks reset (security_barrier);
    alter view operational.organization_deliveries reset (security_barrier);
    alter view operational.organization_mail reset (security_barrier);
  `,
};

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

/** Organizations that may have notifications to mail, and what was mailed to whom. */
export const noticesMigration: Migration = {
  id: '0017-notices',
  sql: `
    create table operational.notice_looks (
      organization_id uuid primary key,
      -- The read models must have passed it before the look.
      position text not null,
      look_at timestamptz not null default now());
    create index on operational.notice_looks (look_at);
    create table operational.notice_mails (
      mail_id uuid primary key,
      organization_id uuid not null,
      user_id uuid not null,
      notices uuid[] not null,
      made_at timestamptz not null,
      -- Null until the mail lies among those that go out.
      handed_over_at timestamptz);
    create index on operational.notice_mails (user_id, made_at);
    create index on operational.notice_mails (made_at);
    create index on operational.notice_mails (mail_id) where handed_over_at is null;
  `,
};

/** Mail about a person's own account is private, like links into it. */
export const privateMailMigration: Migration = {
  id: '0020-private-mail',
  sql: `
    create or replace view operational.organization_mail with (security_barrier) as
      select mail_id, organization_id, kind, about_id, sealed, state, tries, error, made_at,
        ended_at
      from operational.outgoing_mail
      where organization_id = nullif(current_setting('tallyhand.organization_id', true), '')::uuid
        and kind not in ('account', 'reset', 'email-undo');
  `,
};

/** Mailboxes pause with their agents, and an agent receives the sender of a mail. */
export const restingMailboxesMigration: Migration = {
  id: '0019-resting-mailboxes',
  sql: `
    -- True while the agent is paused or deleted.
    alter table operational.mailboxes add column agent_rests boolean not null default false;
    -- Sealed: who sent it, about what, and when, until its task is over.
    alter table operational.mailbox_mails add column about bytea;
  `,
};

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
