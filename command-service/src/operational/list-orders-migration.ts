import type { Migration } from '@tallyhand/service-kit/postgres/migrations';

/**
 * Lists are read along an index in their order, after the columns they filter by. PostgreSQL plans
 * a view with a security barrier separately, without the requested order. These views filter by
 * organization without one, too: the barrier only hides other rows from functions of the query, and
 * all queries are the product's own.
 */
export const listOrdersMigration: Migration = {
  id: '0025-list-orders',
  sql: `
    drop index operational.webhooks_organization_id_idx;
    create index on operational.webhooks (organization_id, created_at, webhook_id);
    drop index operational.webhook_deliveries_webhook_id_created_at_delivery_id_idx;
    create index on operational.webhook_deliveries (webhook_id, state, created_at, delivery_id);
    drop index operational.outgoing_mail_organization_id_made_at_idx;
    create index on operational.outgoing_mail (organization_id, made_at, mail_id);
    drop index operational.outgoing_mail_about_id_idx;
    create index on operational.outgoing_mail (about_id, made_at);
    -- An organization is taken for a part of the table as it is now, as in the read models.
    alter table operational.webhooks alter column organization_id set statistics 0;
    alter table operational.webhook_deliveries alter column organization_id set statistics 0;
    alter table operational.outgoing_mail alter column organization_id set statistics 0;
    alter table operational.sign_ins alter column organization_id set statistics 0;
    alter view operational.organization_webhooks reset (security_barrier);
    alter view operational.organization_deliveries reset (security_barrier);
    alter view operational.organization_mail reset (security_barrier);
  `,
};
