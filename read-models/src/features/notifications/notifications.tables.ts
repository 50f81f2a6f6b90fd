import {
  bigint,
  boolean,
  json,
  orNull,
  text,
  texts,
  timestamp,
  uuid,
} from '../../kernel/columns.ts';
import { keysetPage, mergedPage, PAGE, readOne, readPage } from '../../kernel/read.ts';
import { readModel, table } from '../../kernel/read-model.ts';

/**
 * Notifications, and which of them each member has read. Balances and unfinished work are repeated
 * here to send each notification once, and to the right members.
 */
export const notificationsModel = readModel({
  name: 'notifications',
  feature: 'notifications',
  version: 2,
  tables: {
    notifications: table({
      key: ['notification_id'],
      columns: {
        notification_id: uuid,
        organization_id: uuid,
        kind: text,
        severity: text,
        params: json<Readonly<Record<string, string | number>>>(),
        object_kind: text,
        object_id: uuid,
        created_at: timestamp,
        // One member, and members with one of the roles; everyone when both are null.
        to_user: orNull(uuid),
        to_roles: orNull(texts),
        // The actor: named in the text, and not notified.
        actor_id: orNull(uuid),
        agent_id: orNull(uuid),
      },
      indexes: [
        '(organization_id, created_at, notification_id) where to_roles is not null or to_user is null',
        '(organization_id, to_user, created_at, notification_id)',
      ],
    }),
    notification_balances: table({
      key: ['organization_id'],
      columns: {
        organization_id: uuid,
        posted: bigint,
        reserved: bigint,
      },
    }),
    notification_works: table({
      key: ['work_id'],
      columns: {
        work_id: uuid,
        organization_id: uuid,
        requested_by: orNull(uuid),
        agent_id: orNull(uuid),
      },
    }),
    notification_reads: table({
      key: ['user_id', 'notification_id'],
      columns: {
        notification_id: uuid,
        user_id: uuid,
        organization_id: uuid,
        read_at: timestamp,
      },
    }),
    notification_reads_until: table({
      key: ['user_id', 'until'],
      columns: {
        user_id: uuid,
        organization_id: uuid,
        until: timestamp,
        read_at: timestamp,
      },
    }),
    notification_preferences: table({
      key: ['user_id'],
      columns: {
        user_id: uuid,
        organization_id: uuid,
        email_notifications: boolean,
        agent_status_updates: boolean,
        credit_balance_alerts: boolean,
      },
    }),
  },
});

const PREFERENCES = `
  left join read_model.notification_preferences w
    on w.user_id = me.user_id and w.organization_id = me.organization_id`;

const isWanted = (kind: string, preference: string) => `(n.kind <> '${kind}' or coalesce(
  (select w.${preference} from read_model.notification_preferences w where w.user_id = me.user_id), true))`;

const WANTED = `${isWanted('agent-status', 'agent_status_updates')}
  and ${isWanted('low-credits', 'credit_balance_alerts')}`;

const JOINED_AT = `(select coalesce(max(m.joined_at), '-infinity') from read_model.members m
  where m.user_id = me.user_id)`;
const OLDEST = `now() - interval '90 days'`;
const KEY = { as: 'n', at: 'created_at', id: 'notification_id' };

/** Notifications for the caller, and for the caller's role since the caller joined. */
const heard = (since: string, isCounted: string) =>
  [
    { pins: { to_user: 'me.user_id' }, since, where: `${WANTED} ${isCounted}` },
    {
      since: `greatest(${since}, ${JOINED_AT})`,
      where: `(n.to_roles is not null or n.to_user is null)
        and n.to_user is distinct from me.user_id
        and (n.to_roles is null or me.role = any(n.to_roles))
        and n.actor_id is distinct from me.user_id and ${WANTED} ${isCounted}`,
    },
  ]
    .map((each) => `(${keysetPage({ table: 'read_model.notifications', ...KEY, ...each })})`)
    .join(' union all ');

const READ_ONE_BY_ONE = `read_model.notification_reads r
  where r.user_id = me.user_id and r.notification_id = n.notification_id`;

export const readNotifications = readPage('notifications', {
  ...KEY,
  source: mergedPage(`(${heard(OLDEST, '')}) n`, KEY),
  select: `n.notification_id as id, n.kind, n.severity,
     n.params || jsonb_strip_nulls(jsonb_build_object(
       'agentName', (select a.name from read_model.agents a where a.agent_id = n.agent_id),
       'toolName', (select l.name from read_model.tools l
         where l.tool_id = n.object_id and n.object_kind = 'tool'),
       'memberName', (select p.username from read_model.members p where p.user_id = n.actor_id)))
       || coalesce((select jsonb_build_object('cents', p.cents, 'currency', p.currency)
         from read_model.payments p
         where p.payment_id = n.object_id and n.object_kind = 'payment'), '{}') as params,
     json_build_object('kind', n.object_kind, 'id', n.object_id) as object,
     n.created_at as "createdAt",
     least((select r.read_at from ${READ_ONE_BY_ONE}),
       (select u.read_at from read_model.notification_reads_until u
        where u.user_id = me.user_id and u.until >= n.created_at order by u.until limit 1))
       as "readAt"`,
});

const READ_UNTIL = `(select coalesce(max(u.until) + interval '1 microsecond', '-infinity')
  from read_model.notification_reads_until u where u.user_id = me.user_id)`;

/** Counted up to `p_limit`. */
export const readUnreadNotifications = readOne(
  'unread_notifications',
  PAGE,
  `select least(count(*), p_limit) as count from (${heard(
    `greatest(${OLDEST}, ${READ_UNTIL})`,
    `and not exists (select from ${READ_ONE_BY_ONE})`,
  )}) n`,
);

export const readNotificationPreferences = readOne(
  'notification_preferences',
  {},
  `select coalesce(w.email_notifications, true) as "emailNotifications",
     coalesce(w.agent_status_updates, true) as "agentStatusUpdates",
     coalesce(w.credit_balance_alerts, true) as "creditBalanceAlerts"
   from (values (1)) one ${PREFERENCES}`,
);
