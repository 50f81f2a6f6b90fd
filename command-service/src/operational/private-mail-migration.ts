import type { Migration } from '@tallyhand/service-kit/postgres/migrations';

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
