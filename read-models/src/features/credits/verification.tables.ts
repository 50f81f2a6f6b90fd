import { readOne } from '../../kernel/read.ts';

/** The command service keeps the newest check of each ledger; without one all is null. */
export const readVerification = readOne(
  'verification',
  {},
  `select (v.state ->> 'status') as status, (v.state ->> 'startedAt') as "startedAt",
     (v.state ->> 'finishedAt') as "finishedAt", coalesce((v.state -> 'entries')::int, 0) as entries,
     v.state ->> 'head' as head, (v.state ->> 'brokenAt')::int as "brokenAt",
     nullif(v.state -> 'available', 'null') as available,
     (v.state ->> 'debits')::bigint as debits, (v.state ->> 'credits')::bigint as credits
   from (values (me.organization_id)) o (organization_id)
   left join operational.ledger_verifications v using (organization_id)`,
);
