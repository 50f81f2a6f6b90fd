import { text, timestamp, uuid } from '../../kernel/columns.ts';
import { readOne } from '../../kernel/read.ts';
import { readModel, table } from '../../kernel/read-model.ts';

export const organizationsModel = readModel({
  name: 'organizations',
  feature: 'organizations',
  version: 1,
  tables: {
    organizations: table({
      key: ['organization_id'],
      columns: {
        organization_id: uuid,
        name: text,
        registered_at: timestamp,
      },
    }),
  },
});

export const readOrganization = readOne(
  'organization',
  {},
  `select o.organization_id as id, o.name,
     coalesce(b.posted - b.reserved, 0) as "creditBalance", coalesce(b.reserved, 0) as reserved
   from read_model.organizations o left join read_model.credit_balances b using (organization_id)
   where o.organization_id = me.organization_id`,
);

export const readOrganizationStats = readOne(
  'organization_stats',
  {},
  `select coalesce(sum(count), 0)::int as agents,
     coalesce(sum(count) filter (where is_active), 0)::int as "activeAgents",
     coalesce((select count from read_model.article_counts
       where organization_id = me.organization_id), 0)::int as articles
   from read_model.agent_counts where organization_id = me.organization_id`,
);
