import { nameOf } from '../../kernel/charges.ts';
import { bigint, text, uuid } from '../../kernel/columns.ts';
import { readMany } from '../../kernel/read.ts';
import { readModel, table } from '../../kernel/read-model.ts';

/** The monthly spending limits (UTC) of agents and members. */
export const spendLimitsModel = readModel({
  name: 'spend-limits',
  feature: 'credits',
  version: 1,
  tables: {
    spend_limits: table({
      key: ['organization_id', 'scope_kind', 'scope_id'],
      columns: {
        organization_id: uuid,
        scope_kind: text,
        scope_id: uuid,
        monthly_credits: bigint,
      },
    }),
  },
});

const MEMBER = `case s.scope_kind when 'member' then ${nameOf('s.scope_id')} end`;

/** `month_start` is the first day of the month. */
export const readSpendLimits = readMany(
  'spend_limits',
  { month_start: 'date' },
  `select json_build_object('kind', s.scope_kind, 'id', s.scope_id) as scope,
     coalesce(a.name, ${MEMBER}) as name, s.monthly_credits as "monthlyCredits",
     (select coalesce(sum(u.credits), 0) from read_model.usage_daily u
      where u.organization_id = me.organization_id and u.day >= p_month_start
        and u.day < p_month_start + interval '1 month'
        and s.scope_id = case s.scope_kind when 'agent' then u.agent_id else u.member_id end
     )::bigint as "usedThisMonth"
   from read_model.spend_limits s
   left join read_model.agents a
     on s.scope_kind = 'agent' and a.agent_id = s.scope_id and a.deleted_at is null
   where s.organization_id = me.organization_id
   order by s.scope_kind, coalesce(a.name, ${MEMBER}), s.scope_id`,
);
