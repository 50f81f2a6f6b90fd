import { bigint, orNull, text, timestamp, uuid } from '../../kernel/columns.ts';
import { readOne } from '../../kernel/read.ts';
import { readModel, table } from '../../kernel/read-model.ts';

export const organizationsModel = readModel({
  name: 'organizations',
  feature: 'organizations',
  version: 2,
  tables: {
    organizations: table({
      key: ['organization_id'],
      columns: {
        organization_id: uuid,
        name: text,
        registered_at: timestamp,
        /** The choice of the model that embeds the articles. */
        embedding_source: text,
        embedding_connection: orNull(uuid),
        /** Tokens that chat may use in a month. */
        chat_tokens: orNull(bigint),
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
       where organization_id = me.organization_id), 0)::int as articles,
     exists (select from (select articles, playbooks, tools from read_model.agents
         where organization_id = me.organization_id and deleted_at is null
         order by created_at desc, agent_id desc limit 100) newest
       where cardinality(articles) + cardinality(playbooks) + cardinality(tools) > 0)
       as "hasAssignedAgent",
     exists (select from read_model.members where organization_id = me.organization_id
         and status not in ('joining', 'erased') and user_id <> me.user_id)
       or exists (select from read_model.invitations
         where organization_id = me.organization_id and kind = 'email') as "hasTeammates"
   from read_model.agent_counts where organization_id = me.organization_id`,
);
