import type { Migration } from '@tallyhand/service-kit/postgres/migrations';

/** Images and documents of messages and tasks: a JPEG, or the text that was read. */
export const attachmentsMigration: Migration = {
  id: '0030-attachments',
  sql: `
    create table operational.attachments (
      attachment_id uuid primary key,
      organization_id uuid not null,
      -- The member or API key that uploaded it.
      owner_id uuid not null,
      name text not null,
      kind text not null,
      content bytea not null,
      bytes int not null,
      sha256 text not null,
      uploaded_at timestamptz not null default now(),
      -- The message or task that it was sent with; null before.
      sent_with uuid,
      -- Of a message.
      conversation_id uuid);
    create index on operational.attachments (organization_id) include (bytes);
    create index on operational.attachments (owner_id) where sent_with is null;
    create index on operational.attachments (conversation_id) where conversation_id is not null;
    create index on operational.attachments (uploaded_at) where sent_with is null;
    -- Images are compressed already.
    alter table operational.attachments alter column content set storage external;
    alter table operational.attachments enable row level security;
    alter table operational.attachments force row level security;
    create policy tenant on operational.attachments using
      (organization_id = nullif(current_setting('tallyhand.organization_id', true), '')::uuid);
    create policy owner on operational.attachments to current_user using (true);
    create function operational.forget_unsent_attachments() returns void
      language sql security definer set search_path = pg_catalog as
      'delete from operational.attachments
       where sent_with is null and uploaded_at < now() - interval ''1 day''';
  `,
};
