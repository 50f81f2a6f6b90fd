import { int, orNull, text, timestamp, uuid } from '../../kernel/columns.ts';
import { readOne, readPage } from '../../kernel/read.ts';
import { readModel, table } from '../../kernel/read-model.ts';

export const membersModel = readModel({
  name: 'members',
  feature: 'team',
  version: 2,
  tables: {
    members: table({
      key: ['user_id'],
      columns: {
        user_id: uuid,
        organization_id: uuid,
        username: text,
        email: text,
        role: text,
        last_day: orNull(text),
        status: text,
        last_active_at: orNull(timestamp),
        joined_at: timestamp,
      },
      indexes: [`(organization_id, joined_at, user_id) where status not in ('joining', 'erased')`],
    }),
  },
});

export const invitationsModel = readModel({
  name: 'invitations',
  feature: 'team',
  version: 3,
  tables: {
    invitations: table({
      key: ['invitation_id'],
      columns: {
        invitation_id: uuid,
        organization_id: uuid,
        kind: text,
        email: orNull(text),
        role: text,
        last_day: orNull(text),
        status: text,
        uses: int,
        resent: int,
        created_at: timestamp,
        expires_at: timestamp,
      },
      indexes: ['(organization_id, kind, created_at, invitation_id)'],
    }),
  },
});

export const readCurrentUser = readOne(
  'current_user',
  {},
  `select m.user_id as id, m.username, m.email, me.role, m.last_day as "lastDay",
     json_build_object('id', o.organization_id, 'name', o.name,
       'creditBalance', coalesce(b.posted - b.reserved, 0)) as organization
   from read_model.members m
   join read_model.organizations o using (organization_id)
   left join read_model.credit_balances b using (organization_id)
   where m.user_id = me.user_id`,
);

export const readMembers = readPage('members', {
  table: 'read_model.members',
  as: 'm',
  at: 'joined_at',
  id: 'user_id',
  where: `m.status not in ('joining', 'erased')`,
  select: `m.user_id as id, m.username, m.email, m.role, m.last_day as "lastDay", m.status,
    greatest(m.last_active_at, (select s.last_seen_at from operational.organization_last_seen s
      where s.user_id = m.user_id)) as "lastActive", m.joined_at as "createdAt"`,
});

const STATUS = `case when i.status = 'pending' and i.expires_at < now() then 'expired'
  else i.status end`;

export const readInvitations = readPage('invitations', {
  table: 'read_model.invitations',
  as: 'i',
  at: 'created_at',
  id: 'invitation_id',
  pins: { kind: `'email'` },
  select: `i.invitation_id as id, i.email, i.role, i.last_day as "lastDay", ${STATUS} as status,
     i.created_at as "createdAt", i.expires_at as "expiresAt", i.resent,
     case when m.state is null or m.state = 'kept' then 'link' else 'mail' end as delivery,
     case when m.state is not null then json_build_object('state', m.state, 'error', m.error) end
       as mail`,
  joins: `left join lateral (
     select o.state, o.error from operational.organization_mail o
     where o.about_id = i.invitation_id order by o.made_at desc limit 1) m on true`,
});

/** Without the token: the query service signs it again. */
export const readInvitationLink = readOne(
  'invitation_link',
  {},
  `select invitation_id as id, organization_id as "organizationId", role, uses,
     expires_at as "expiresAt"
   from read_model.invitations
   where organization_id = me.organization_id and kind = 'link' and status = 'pending'
     and expires_at > now()
   order by created_at desc limit 1`,
);

export const readInvitationById = readOne(
  'invitation_by_id',
  { id: 'uuid' },
  `select o.name as "organizationName", i.role, i.last_day as "lastDay", i.email, ${STATUS} as status, i.resent
   from read_model.invitations i join read_model.organizations o using (organization_id)
   where i.invitation_id = p_id`,
  'organization',
);

/** The content of each mail is sealed; the query service opens it. */
export const readOutbox = readPage('outbox', {
  table: 'operational.organization_mail',
  as: 'm',
  at: 'made_at',
  id: 'mail_id',
  select: `m.mail_id as id, m.kind, m.state, m.tries, m.error,
    encode(m.sealed, 'base64') as sealed, m.made_at as "createdAt", m.ended_at as "endedAt"`,
});
