import type { Migration } from '@tallyhand/service-kit/postgres/migrations';

/** Row counts for monitoring: numbers, without identities. */
export const figuresMigration: Migration = {
  id: '0022-figures',
  sql: `
    create table operational.last_backup (
      is_only boolean primary key default true check (is_only),
      made_at timestamptz not null,
      bytes bigint not null);
    -- A figure may come with several labels, or with the label null; seconds are ages.
    create function operational.product_figures()
      returns table (figure text, label text, value double precision)
      language sql stable security definer set search_path = pg_catalog as $$
        select 'reservations', v.label, v.value from (
          select count(*) as open, count(*) filter (where expires_at < now()) as expired,
            coalesce(extract(epoch from now() - min(expires_at)
              filter (where expires_at < now())), 0) as overdue
          from operational.open_reservations) r
          cross join lateral (values ('open', r.open::float8), ('expired', r.expired::float8),
            ('overdue-seconds', r.overdue::float8)) v (label, value)
        union all
        select 'sessions', v.label, v.value from (
          select count(*) filter (where runner_id is null and is_requested) as waiting,
            count(*) filter (where runner_id is not null) as running,
            count(*) filter (where runner_id is not null
              and seen_at < now() - interval '1 minute') as unheard
          from operational.open_sessions) s
          cross join lateral (values ('waiting', s.waiting::float8),
            ('running', s.running::float8), ('unheard', s.unheard::float8)) v (label, value)
        union all
        select 'runners', v.label, v.value from (
          select count(*) as alive, coalesce(sum(free), 0) as free from operational.runners
          where seen_at > now() - interval '30 seconds') r
          cross join lateral (values ('alive', r.alive::float8), ('free-places', r.free::float8))
            v (label, value)
        union all
        select 'mails', v.label, v.value from (
          select count(*) as waiting, coalesce(extract(epoch from now() - min(next_at)
              filter (where next_at < now())), 0) as overdue
          from operational.outgoing_mail where state = 'waiting') m
          cross join lateral (values ('waiting', m.waiting::float8),
            ('overdue-seconds', m.overdue::float8)) v (label, value)
        union all
        select 'mails', s.state, count(m.mail_id)
          from (values ('failed'), ('uncertain')) s (state)
          left join operational.outgoing_mail m
            on m.state = s.state and m.began_at > now() - interval '1 day'
          group by s.state
        union all
        select 'replies', 'waiting', count(*) from operational.mailbox_mails
          where state in ('waiting', 'sending')
        union all
        select 'mailboxes', v.label, v.value from (
          select count(*) filter (where agent_rests) as resting,
            count(*) filter (where not agent_rests and is_active and failures < 3) as active,
            count(*) filter (where not agent_rests and is_active and failures >= 3) as failing,
            count(*) filter (where not agent_rests and not is_active
              and error_code is not null) as stopped
          from operational.mailboxes) m
          cross join lateral (values ('resting', m.resting::float8), ('active', m.active::float8),
            ('failing', m.failing::float8), ('stopped', m.stopped::float8)) v (label, value)
        union all
        select 'webhooks', v.label, v.value from (
          select count(*) filter (where disabled_reason is not null) as disabled,
            count(*) filter (where disabled_reason is null and failing_since is null) as active,
            count(*) filter (where disabled_reason is null and failing_since is not null)
              as failing
          from operational.webhooks) w
          cross join lateral (values ('active', w.active::float8), ('failing', w.failing::float8),
            ('disabled', w.disabled::float8)) v (label, value)
        union all
        select 'deliveries', v.label, v.value from (
          select count(*) as waiting, coalesce(extract(epoch from now() - min(d.next_at)
              filter (where d.next_at < now())), 0) as overdue
          from operational.webhook_deliveries d join operational.webhooks w using (webhook_id)
          where d.state = 'waiting' and w.disabled_reason is null) d
          cross join lateral (values ('waiting', d.waiting::float8),
            ('overdue-seconds', d.overdue::float8)) v (label, value)
        union all
        select 'payments', v.label, v.value from (
          select count(*) as pending,
            coalesce(extract(epoch from now() - min(requested_at)), 0) as oldest
          from operational.pending_payments) p
          cross join lateral (values ('pending', p.pending::float8),
            ('oldest-seconds', p.oldest::float8)) v (label, value)
        union all
        select 'erasures', 'pending', count(*) from operational.pending_erasures
        union all
        select 'backup', v.label, v.value from operational.last_backup b
          cross join lateral (values ('made-at', extract(epoch from b.made_at)::float8),
            ('bytes', b.bytes::float8)) v (label, value)
        union all
        select 'database', 'bytes', pg_database_size(current_database()) $$;
  `,
};
