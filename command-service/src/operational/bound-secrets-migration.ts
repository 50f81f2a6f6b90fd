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
