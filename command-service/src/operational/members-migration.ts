import type { Migration } from '@tallyhand/service-kit/postgres/migrations';

/** Access follows the members of an organization; what was derived from older ones is passed over. */
export const membersMigration: Migration = {
  id: '0012-members',
  sql: 'alter table operational.access add column changes int not null default 0;',
};
