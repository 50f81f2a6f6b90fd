import { boolean, int, orNull, text, timestamp, uuid } from '../../kernel/columns.ts';
import { readOne } from '../../kernel/read.ts';
import { readModel, table } from '../../kernel/read-model.ts';

/** Rules and legal holds of organizations, and former members who are not erased yet. */
export const retentionModel = readModel({
  name: 'retention',
  feature: 'organizations',
  version: 1,
  tables: {
    retention: table({
      key: ['organization_id'],
      columns: {
        organization_id: uuid,
        days: orNull(int),
        hold_reason: orNull(text),
        held_since: orNull(timestamp),
        held_by: orNull(uuid),
      },
    }),
    former_members: table({
      key: ['user_id'],
      columns: {
        user_id: uuid,
        organization_id: uuid,
        left_at: timestamp,
        /** They erased their account themselves. */
        is_asked: boolean,
      },
      indexes: ['(organization_id, left_at)'],
    }),
  },
});

export const readRetention = readOne(
  'retention',
  {},
  `select r.days,
     case when r.hold_reason is not null then json_build_object('reason', r.hold_reason,
       'placedAt', r.held_since, 'placedBy', r.held_by) end as hold,
     coalesce(f.waiting, 0) as waiting,
     case when r.hold_reason is null then f.due end as "nextDueAt"
   from (values (1)) one
   left join read_model.retention r on r.organization_id = me.organization_id
   left join lateral (
     select count(*)::int as waiting,
       min(case when is_asked then left_at else left_at + make_interval(days => r.days) end) as due
     from read_model.former_members
     where organization_id = me.organization_id and (is_asked or r.days is not null)) f on true`,
);
