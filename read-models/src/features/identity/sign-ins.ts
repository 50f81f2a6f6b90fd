import { readMany, readOne } from '../../kernel/read.ts';

const LISTED_MAX = 100;

/** Details of a sign-in, from the audit log. */
const USER_AGENT = `a.revealed->>'data.userAgent' as "userAgent"`;
const ADDRESS = `a.revealed->>'sourceAddress' as address`;

/** `operational` knows the active sign-ins; the audit log knows their devices and addresses. */
export const readSignIns = readMany(
  'sign_ins',
  {},
  `select s.sign_in_id as id, a."userAgent", a.address, s.created_at as "startedAt",
     s.last_seen_at as "lastSeenAt", s.sign_in_id = me.sign_in_id as "isCurrent"
   from operational.sign_ins_of(me.user_id) s
   left join lateral (select ${USER_AGENT}, ${ADDRESS} from read_model.audit_entries a
     where a.organization_id = me.organization_id and a.object_id = me.user_id::text
       and a.type = 'UserSignedIn' and a.sign_in_id = s.sign_in_id
     order by a.sequence desc limit 1) a on true
   order by "isCurrent" desc, s.last_seen_at desc, s.sign_in_id limit ${LISTED_MAX}`,
);

/** Only the caller's own. */
export const readSignInHistory = readMany(
  'sign_in_history',
  {},
  `select a.event_id as id, a.at,
     case a.type when 'UserSignedIn' then 'signed-in' when 'UserSignedOut' then 'signed-out'
       else 'failed' end as kind,
     coalesce(a.data->>'code', a.data->>'reason') as reason, ${USER_AGENT}, ${ADDRESS},
     coalesce((a.data->>'count')::int, 1) as count
   from read_model.audit_entries a
   where a.organization_id = me.organization_id and a.object_id = me.user_id::text
     and (a.type in ('UserSignedIn', 'UserSignedOut')
       or (a.type = 'CallRefused' and a.data->>'call' = 'signIn'))
   order by a.sequence desc limit ${LISTED_MAX}`,
);

export const readSecondFactor = readOne(
  'second_factor',
  {},
  `select f.enabled_at as "enabledAt", f.codes_left as "recoveryCodesLeft"
   from operational.second_factor_of(me.user_id) f`,
);
