import type { Migration } from '@tallyhand/service-kit/postgres/migrations';

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
