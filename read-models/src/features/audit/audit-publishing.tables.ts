import { bigint, orNull, text, timestamp, uuid, uuids } from '../../kernel/columns.ts';
import { readOne } from '../../kernel/read.ts';
import { readModel, table } from '../../kernel/read-model.ts';

/** How checkpoints of audit logs leave the server, and the newest that has. */
export const auditPublishingModel = readModel({
  name: 'audit-publishing',
  feature: 'audit',
  version: 1,
  tables: {
    audit_publishing: table({
      key: ['organization_id'],
      columns: {
        organization_id: uuid,
        every: orNull(text),
        mail_to: uuids,
        last_at: orNull(timestamp),
        last_size: orNull(bigint),
      },
    }),
  },
});

/** Members who left get no mail any more, and are not named. */
export const readAuditPublishing = readOne(
  'audit_publishing',
  {},
  `select p.every,
     coalesce((select json_agg(m.user_id order by m.joined_at, m.user_id)
       from read_model.members m
       where m.organization_id = me.organization_id and m.user_id = any(p.mail_to)
         and m.status = 'active'), '[]')
       as "mailTo",
     case when p.last_at is not null
       then json_build_object('at', p.last_at, 'size', p.last_size) end as last
   from (values (1)) one
   left join read_model.audit_publishing p on p.organization_id = me.organization_id`,
);
