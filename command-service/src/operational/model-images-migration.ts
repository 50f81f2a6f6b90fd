import type { Migration } from '@tallyhand/service-kit/postgres/migrations';

/** Whether models of connections take images, as the newest test of each has found. */
export const modelImagesMigration: Migration = {
  id: '0034-model-images',
  sql: `
    create table operational.model_images (
      connection_id uuid not null,
      model text not null,
      organization_id uuid not null,
      -- Where the test was made.
      base_url text not null,
      takes_images boolean not null,
      primary key (connection_id, model));
    alter table operational.model_images enable row level security;
    alter table operational.model_images force row level security;
    create policy tenant on operational.model_images using
      (organization_id = nullif(current_setting('tallyhand.organization_id', true), '')::uuid);
  `,
};
