import type { Migration } from '@tallyhand/service-kit/postgres/migrations';

/** What tells a person of their own account is theirs alone, as links into it are. */
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
