import {
  changeMember,
  checkInvitation,
  issueInvitation,
  type MemberChange,
  type MemberState,
  removeMember,
  renewInvitationLink,
  resendInvitation,
  restoreMember,
  revokeInvitation,
  revokeInvitationLink,
} from '@tallyhand/contracts/features/team/team.endpoints';
import {
  EmailHasAccount,
  InvitationNotValid,
} from '@tallyhand/contracts/features/team/team.refusals';
import { AUDITOR_DAYS, dayAfter, whyNotLastDay } from '@tallyhand/contracts/kernel/auditor-access';
import { invalidField } from '@tallyhand/contracts/kernel/problem';
import { isRefusal, type Refusal } from '@tallyhand/contracts/kernel/refusal';
import { inTenant, inTransaction } from '@tallyhand/service-kit/postgres/pool';
import type { FastifyInstance } from 'fastify';
import type { PoolClient } from 'pg';
import type { z } from 'zod';
import type { Kit } from '../../kit/app.ts';
import { type CommandContext, idFor } from '../../kit/context.ts';
import { route } from '../../kit/route.ts';
import type { Invitations } from './invitations.ts';

/** As for registrations: both disclose whether an address has an account. */
const CHECKS_LIMIT = { max: 30, timeWindow: '10 minutes' };
const INVITATIONS_LIMIT = { max: 100, timeWindow: '1 hour' };

export type TeamContext = {
  readonly kit: Kit;
  readonly invitations: Invitations;
  readonly accounts: {
    emailKey(email: string): string;
    /** The organization of the account that an address belongs to, or null. */
    organizationOf(emailKey: string): Promise<string | null>;
  };
};

export function teamRoutes(app: FastifyInstance, context: TeamContext) {
  const { kit, invitations, accounts } = context;
  const inviting = { limit: INVITATIONS_LIMIT };
  const delivery = kit.mail.isSet ? ('mail' as const) : ('link' as const);
  const revoking = { what: 'invitation' };

  route(app, kit, issueInvitation, inviting, async ({ caller, context, body }) => {
    const wrong = wrongLastDay(body, context);
    if (wrong) return wrong;
    // Accounts of other organizations are not read: neither answer nor time may depend on them.
    if (await isMember(kit, caller.organizationId, body.email)) {
      return EmailHasAccount({ reason: 'member' });
    }
    const id = idFor(context, 'invitation');
    const issued = await invitations.issue(context, {
      invitationId: id,
      organizationId: caller.organizationId,
      kind: 'email',
      email: body.email,
      emailKey: accounts.emailKey(body.email),
      role: body.role,
      lastDay: body.role === 'Auditor' ? (body.lastDay ?? usualLastDay(context)) : null,
      message: body.message ?? null,
      invitedBy: caller.userId,
    });
    return { id, email: body.email, role: body.role, ...issued, delivery };
  });

  const checking = { limit: CHECKS_LIMIT };
  route(app, kit, checkInvitation, checking, async ({ body, context }) => {
    const issued = await invitations.open(body.token, context.now);
    if (isRefusal(issued)) return issued;
    const { emailKey, organizationId } = issued;
    const holder = emailKey === null ? null : await accounts.organizationOf(emailKey);
    if (holder === null) return undefined;
    return EmailHasAccount({ reason: holder === organizationId ? 'member' : 'elsewhere' });
  });

  const resending = { ...inviting, what: 'invitation' };
  route(app, kit, resendInvitation, resending, async ({ caller, context, params }) => {
    const issued = await invitations.resend(context, caller.organizationId, params.id);
    return isRefusal(issued) ? issued : { ...issued, delivery };
  });

  route(app, kit, revokeInvitation, revoking, async ({ caller, context, params }) => {
    const refused = await invitations.revoke(context, caller.organizationId, params.id);
    return refused ?? undefined;
  });

  route(app, kit, renewInvitationLink, inviting, async ({ caller, context }) => {
    const { organizationId, userId } = caller;
    const id = idFor(context, 'invitation-link');
    const role = 'Viewer' as const;
    if (!(await invitations.isIssued(id))) await takePlace(organizationId, id, context);
    return atLink(kit, organizationId, id, async ({ current }) => {
      if (current !== id) return InvitationNotValid({ reason: 'replaced' });
      const issued = await invitations.issue(context, {
        invitationId: id,
        organizationId,
        kind: 'link',
        email: null,
        emailKey: null,
        role,
        lastDay: null,
        message: null,
        invitedBy: userId,
      });
      return { id, role, uses: 0, ...issued };
    });
  });

  route(app, kit, revokeInvitationLink, async ({ caller, context }) => {
    const { rows } = await kit.pool.query<{ invitation_id: string }>(
      'select invitation_id from operational.invitation_links where organization_id = $1',
      [caller.organizationId],
    );
    const id = rows[0]?.invitation_id;
    if (id) await invitations.revokeIfIssued(context, caller.organizationId, id);
    return undefined;
  });

  /**
   * Makes this link the current one after revoking the one before. It is issued later, so that a
   * process that dies at any point leaves at most one valid link.
   */
  const takePlace = (organizationId: string, id: string, context: CommandContext) =>
    atLink(kit, organizationId, id, async ({ current, client }) => {
      if (current === id) return;
      await invitations.revokeIfIssued(context, organizationId, current);
      await client.query(
        'update operational.invitation_links set invitation_id = $2 where organization_id = $1',
        [organizationId, id],
      );
    });
}

const usualLastDay = ({ now }: CommandContext) => dayAfter(now, AUDITOR_DAYS);

function wrongLastDay(
  { role, lastDay }: Pick<z.infer<typeof MemberChange>, 'role' | 'lastDay'>,
  { now }: CommandContext,
): Refusal | null {
  if (lastDay === undefined) return null;
  const why = role === 'Auditor' ? whyNotLastDay(lastDay, now) : 'Only an Auditor has a last day';
  return why === null ? null : invalidField('lastDay', why);
}

/** Whether the address belongs to a current member of this organization. */
async function isMember({ pool }: Kit, organizationId: string, email: string): Promise<boolean> {
  const { rowCount } = await inTenant(pool, organizationId, (client) =>
    client.query(
      `select 1 from read_model.members
       where organization_id = $1 and lower(email) = lower($2) and status in ('active', 'joining')`,
      [organizationId, email],
    ),
  );
  return Boolean(rowCount);
}

type AtLink = { readonly current: string; readonly client: PoolClient };

/** Acts on the organization's only link, one call at a time. Without a link, `id` becomes it. */
function atLink<T>(
  { pool }: Kit,
  organizationId: string,
  id: string,
  act: (at: AtLink) => Promise<T>,
): Promise<T> {
  return inTransaction(pool, async (client) => {
    // Concurrent calls wait for the row of the first.
    await client.query(
      `insert into operational.invitation_links (organization_id, invitation_id)
       values ($1, $2) on conflict do nothing`,
      [organizationId, id],
    );
    const { rows } = await client.query<{ invitation_id: string }>(
      `select invitation_id from operational.invitation_links
       where organization_id = $1 for update`,
      [organizationId],
    );
    return act({ current: rows[0]?.invitation_id ?? id, client });
  });
}

type Role = MemberState['role'];
type OfMember = { readonly organizationId: string; readonly userId: string };
type Change = OfMember & { readonly by: string };
type NewRole = {
  readonly role: Role;
  readonly lastDay: string | null;
  readonly usualLastDay: string;
};
type Changed = Promise<(Pick<MemberState, 'role' | 'lastDay'> & { isActive: boolean }) | Refusal>;

export type MembersContext = {
  readonly kit: Kit;
  readonly members: {
    changeRole(context: CommandContext, change: Change & NewRole): Changed;
    deactivate(context: CommandContext, change: Change): Changed;
    reactivate(context: CommandContext, change: OfMember): Changed;
  };
};

/** How an Admin changes, removes and restores members. */
export function membersRoutes(app: FastifyInstance, { kit, members }: MembersContext) {
  const options = { what: 'member' };

  route(app, kit, changeMember, options, async ({ caller, context, params, body }) => {
    const wrong = wrongLastDay(body, context);
    if (wrong) return wrong;
    const { organizationId, userId: by } = caller;
    const { role, lastDay = null } = body;
    const asked = { role, lastDay, usualLastDay: usualLastDay(context) };
    const change = { organizationId, userId: params.id, by, ...asked };
    return stateOf(params.id, await members.changeRole(context, change));
  });
  route(app, kit, removeMember, options, async ({ caller, context, params }) => {
    const { organizationId, userId: by } = caller;
    const removed = await members.deactivate(context, { organizationId, userId: params.id, by });
    return isRefusal(removed) ? removed : undefined;
  });
  route(app, kit, restoreMember, options, async ({ caller, context, params }) => {
    const { organizationId } = caller;
    return stateOf(
      params.id,
      await members.reactivate(context, { organizationId, userId: params.id }),
    );
  });
}

function stateOf(id: string, changed: Awaited<Changed>): MemberState | Refusal {
  if (isRefusal(changed)) return changed;
  const { role, lastDay } = changed;
  return { id, role, lastDay, status: changed.isActive ? 'active' : 'deactivated' };
}
