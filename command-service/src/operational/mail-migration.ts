import type { Migration } from '@tallyhand/service-kit/postgres/migrations';

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
