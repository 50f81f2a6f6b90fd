import { nameOf } from '../../kernel/charges.ts';
import { readMany } from '../../kernel/read.ts';

/** Both days count. */
const DAYS = { from: 'date', to: 'date' } as const;

const sumsBy = (column: string) => `(select u.${column} as key,
    sum(u.credits)::bigint as credits, sum(u.count)::bigint as count
  from read_model.usage_daily u
  where u.organization_id = me.organization_id and u.day between p_from and p_to
  group by u.${column}) s`;
/** What was given back whole leaves nothing to show; most spent first. */
const SPENT = 'where s.credits <> 0 or s.count <> 0 order by s.credits desc, s.key';

/** Every day of the range, those without use too. */
export const readUsageByDay = readMany(
  'usage_by_day',
  DAYS,
  `select to_char(d.day, 'YYYY-MM-DD') as key, null::text as name,
     coalesce(s.credits, 0) as credits, coalesce(s.count, 0) as count
   from generate_series(p_from::timestamp, p_to::timestamp, interval '1 day') d (day)
   left join ${sumsBy('day')} on s.key = d.day::date
   order by d.day`,
);

export const readUsageByAgent = readMany(
  'usage_by_agent',
  DAYS,
  `select s.key, a.name, s.credits, s.count from ${sumsBy('agent_id')}
   left join read_model.agents a on a.agent_id = s.key and a.deleted_at is null ${SPENT}`,
);

/** Work without a requesting member has the key `none`. */
export const readUsageByMember = readMany(
  'usage_by_member',
  DAYS,
  `select coalesce(s.key::text, 'none') as key, ${nameOf('s.key')} as name, s.credits, s.count
   from ${sumsBy('member_id')} ${SPENT}`,
);

export const readUsageByType = readMany(
  'usage_by_type',
  DAYS,
  `select s.key, null::text as name, s.credits, s.count from ${sumsBy('work_type')} ${SPENT}`,
);
