import {
  changeMember,
  type MemberState,
  removeMember,
  restoreMember,
} from '@tallyhand/contracts/features/team/team.endpoints';
import { isRefusal, type Refusal } from '@tallyhand/contracts/kernel/refusal';
import type { FastifyInstance } from 'fastify';
import type { Kit } from '../../kit/app.ts';
import type { CommandContext } from '../../kit/context.ts';
import { route } from '../../kit/route.ts';

type Role = MemberState['role'];
type OfMember = { readonly organizationId: string; readonly userId: string };
type Change = OfMember & { readonly by: string };
type Changed = Promise<{ readonly role: Role; readonly isActive: boolean } | Refusal>;

export type MembersContext = {
  readonly kit: Kit;
  readonly changeRole: (c: CommandContext, change: Change & { readonly role: Role }) => Changed;
  readonly deactivate: (context: CommandContext, change: Change) => Changed;
  readonly reactivate: (context: CommandContext, change: OfMember) => Changed;
};

/** An Admin's rights over the other members of the organization. */
export function membersRoutes(app: FastifyInstance, members: MembersContext) {
  const { kit } = members;
  const options = { what: 'member' };

  route(app, kit, changeMember, options, async ({ caller, context, params, body }) => {
    const { organizationId, userId: by } = caller;
    const change = { organizationId, userId: params.id, by, role: body.role };
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
  return { id, role: changed.role, status: changed.isActive ? 'active' : 'deactivated' };
}
