import type { Migration } from '@tallyhand/service-kit/postgres/migrations';

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
