import { readOne } from '../../kernel/read.ts';

/** What the installation has recorded of a period; the days, in UTC, include both ends. */
export const readEvidenceRecords = readOne(
  'evidence_records',
  { from: 'date', to: 'date' },
  `select
     (select coalesce(json_agg(json_build_object('madeAt',
          to_char(b.made_at at time zone 'UTC', 'YYYY-MM-DD"T"HH24:MI:SS.MS"Z"'), 'bytes', b.bytes)
        order by b.made_at), '[]')
      from operational.backups b
      where b.made_at >= p_from::timestamp at time zone 'UTC'
        and b.made_at < (p_to + 1)::timestamp at time zone 'UTC') as backups,
     (select json_agg(json_build_object('day', d.day::date::text, 'checks', coalesce(c.checks, 0),
          'differences', coalesce(f.checks, 0)) order by d.day)
      from generate_series(p_from::timestamp, p_to::timestamp, interval '1 day') d(day)
      left join operational.log_checks c on c.day = d.day::date
      left join operational.log_check_differences f on f.day = d.day::date
        and f.organization_id = me.organization_id) as checks`,
);
