import type { Migration } from '@tallyhand/service-kit/postgres/migrations';

/** The schedule of polls of mailboxes, and pending replies. Events record what happened. */
export const mailboxesMigration: Migration = {
  id: '0016-mailboxes',
  sql: `
    create table operational.mailboxes (
      mailbox_id uuid primary key,
      organization_id uuid not null,
      agent_id uuid not null,
      -- A keyed hash: an address belongs to one agent of an organization.
      address_key text not null,
      -- False while it pauses, or was given up.
      is_active boolean not null default true,
      -- False: its replies wait for an SMTP server.
      can_reply boolean not null,
      connected_at timestamptz not null default now(),
      -- Mail of before does not count against the limits of an hour.
      resumed_at timestamptz not null default now(),
      -- How far its mail was taken in; null before the first look.
      cursor jsonb,
      failures int not null default 0,
      last_poll_at timestamptz,
      error text,
      error_code text,
      next_at timestamptz not null default now(),
      -- Who looks into it now, and until when nobody else may.
      worker_id uuid,
      leased_until timestamptz,
      began_at timestamptz,
      unique (organization_id, address_key));
    create index on operational.mailboxes (next_at) where is_active;
    create index on operational.mailboxes (agent_id);
    create table operational.mailbox_credentials (
      credentials_id uuid primary key,
      mailbox_id uuid not null,
      organization_id uuid not null,
      sealed bytea not null);
    create index on operational.mailbox_credentials (mailbox_id);
    create table operational.mailbox_mails (
      mailbox_id uuid not null,
      mail_id uuid not null unique,
      organization_id uuid not null,
      task_id uuid,
      -- What a reply needs of it: whom to, the subject, the words that it quotes.
      sealed bytea,
      sender_key text,
      -- received: its task is not requested yet; working: it is not over; waiting, sending, failed,
      -- uncertain: its reply; done: nothing follows.
      state text not null,
      tries int not null default 0,
      received_at timestamptz not null default now(),
      next_at timestamptz not null default now(),
      replied_at timestamptz,
      worker_id uuid,
      leased_until timestamptz,
      primary key (mailbox_id, mail_id));
    create index on operational.mailbox_mails (task_id) where state in ('received', 'working');
    create index on operational.mailbox_mails (next_at) where state in ('waiting', 'sending');
    create index on operational.mailbox_mails (mailbox_id, received_at);
    create view operational.organization_mailboxes with (security_barrier) as
      select mailbox_id, organization_id, is_active, last_poll_at, error, error_code, next_at,
        began_at, leased_until
      from operational.mailboxes
      where organization_id = nullif(current_setting('tallyhand.organization_id', true), '')::uuid;
  `,
};
