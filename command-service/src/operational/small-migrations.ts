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

/** Organizations that may have notifications to mail, and the notifications mailed to each member. */
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

/** Tables and columns about notifications get the names of the rest of the product. */
export const notificationNamesMigration: Migration = {
  id: '0027-notification-names',
  sql: `
    alter table operational.notice_looks rename to notification_checks;
    alter table operational.notification_checks rename column look_at to check_at;
    alter table operational.notice_mails rename to notification_mails;
    alter table operational.notification_mails rename column notices to notification_ids;
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

/** Mail on its way out. Addresses and words are sealed; nothing of it is the record of anything. */
export const mailMigration: Migration = {
  id: '0011-outgoing-mail',
  sql: `
    create table operational.outgoing_mail (
      mail_id uuid primary key,
      -- Null for what belongs to none, as a message from the contact form.
      organization_id uuid,
      kind text not null,
      -- What it is about, as the id of an invitation.
      about_id uuid,
      -- The person who gets it, where they have an account.
      recipient_id uuid,
      sealed bytea not null,
      -- waiting, sending, sent, failed, uncertain; kept where no server is set up.
      state text not null,
      tries int not null default 0,
      error text,
      made_at timestamptz not null default now(),
      next_at timestamptz not null default now(),
      began_at timestamptz,
      ended_at timestamptz);
    create index on operational.outgoing_mail (next_at) where state = 'waiting';
    create index on operational.outgoing_mail (began_at);
    create index on operational.outgoing_mail (organization_id, made_at);
    create index on operational.outgoing_mail (about_id);
    create index on operational.outgoing_mail (recipient_id);
    -- Without what is its recipient's alone.
    create view operational.organization_mail with (security_barrier) as
      select mail_id, organization_id, kind, about_id, sealed, state, tries, error, made_at,
        ended_at
      from operational.outgoing_mail
      where organization_id = nullif(current_setting('tallyhand.organization_id', true), '')::uuid
        and kind not in ('reset', 'email-undo');
  `,
};

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

const OWN = `organization_id =
  nullif(current_setting('tallyhand.organization_id', true), '')::uuid`;

/** Webhooks, and their deliveries. Payloads are read at each attempt. */
export const webhooksMigration: Migration = {
  id: '0015-webhooks',
  sql: `
    create table operational.webhooks (
      webhook_id uuid primary key,
      organization_id uuid not null,
      url text not null,
      events text[] not null,
      description text not null,
      created_at timestamptz not null,
      disabled_reason text,
      disabled_at timestamptz,
      secret bytea not null,
      -- Of before a rotation, and until when it is still signed with.
      old_secret bytea,
      old_secret_until timestamptz,
      -- Up to which entry of the organization's audit log deliveries were made; null before that
      -- of its own creation, or of its being enabled, was found.
      sequence bigint,
      failing_since timestamptz,
      -- Deliveries given up in a row.
      given_up int not null default 0);
    create index on operational.webhooks (organization_id);
    create table operational.webhook_deliveries (
      delivery_id uuid primary key,
      webhook_id uuid not null references operational.webhooks on delete cascade,
      organization_id uuid not null,
      type text not null,
      sequence bigint,
      state text not null default 'waiting',
      -- All of them, and those since it was sent last by a person's wish or for the first time.
      attempts int not null default 0,
      tries int not null default 0,
      log jsonb not null default '[]',
      answer text,
      created_at timestamptz not null default clock_timestamp(),
      next_at timestamptz not null default now(),
      ended_at timestamptz);
    create index on operational.webhook_deliveries (webhook_id, next_at, created_at)
      where state = 'waiting';
    create index on operational.webhook_deliveries (webhook_id, created_at desc, delivery_id desc);
    create index on operational.webhook_deliveries (webhook_id) where state = 'sending';
    create index on operational.webhook_deliveries (created_at);
    create view operational.organization_webhooks with (security_barrier) as
      select webhook_id, organization_id, url, events, description, created_at, disabled_reason,
        disabled_at, failing_since
      from operational.webhooks where ${OWN};
    create view operational.organization_deliveries with (security_barrier) as
      select delivery_id, webhook_id, organization_id, type, sequence, state, attempts, log, answer,
        created_at, next_at, ended_at
      from operational.webhook_deliveries where ${OWN};
  `,
};

/** A webhook that is enabled again begins after the entry of that, once the audit log has it. */
export const webhookBeginningsMigration: Migration = {
  id: '0043-webhook-beginnings',
  sql: `
    -- How often it was created or enabled.
    alter table operational.webhooks add column beginnings int not null default 1;
  `,
};

/** Keys of connections to endpoints of models, sealed and bound to what they were entered for. */
export const connectionKeysMigration: Migration = {
  id: '0028-connection-keys',
  sql: `
    create table operational.connection_keys (
      credentials_id uuid primary key,
      connection_id uuid not null,
      organization_id uuid not null,
      sealed bytea not null,
      bound_to text,
      created_at timestamptz not null default now());
    create index on operational.connection_keys (connection_id);
  `,
};

/** The keys that have signed audit logs, of the whole installation. Rows are only added. */
export const auditKeysMigration: Migration = {
  id: '0033-audit-keys',
  sql: `
    create table operational.audit_keys (
      sequence integer primary key,
      key_id text not null unique,
      entry jsonb not null);
  `,
};

/** The query service answers the newest checkpoint of an audit log. */
export const checkpointReadsMigration: Migration = {
  id: '0031-checkpoint-reads',
  sql: 'create policy owner on operational.audit_checkpoints to current_user using (true);',
};
