import type { Role } from '@tallyhand/contracts/features/identity/role';
import { isRefusal } from '@tallyhand/contracts/kernel/refusal';
import type { Kit } from '../../kit/app.ts';
import type { CommandContext } from '../../kit/context.ts';
import { streamsOf } from '../../kit/streams.ts';
import { organizationDecider } from './organization.decider.ts';

type NewMember = {
  readonly organizationId: string;
  readonly userId: string;
  readonly role: Role;
  readonly invitationId: string | null;
};

/** Organizations and who belongs to them. Every call may be repeated. */
export type Organizations = {
  register(context: CommandContext, organizationId: string, name: string): Promise<void>;
  /** The member may sign in from now on: access is checked in a table of its own. */
  addMember(context: CommandContext, member: NewMember): Promise<void>;
  nameOf(organizationId: string): Promise<string>;
};

export function organizationsOf(kit: Kit): Organizations {
  const organizations = streamsOf(organizationDecider, kit.streams);
  const must = async (answer: Promise<unknown>) => {
    const given = await answer;
    if (isRefusal(given)) throw new Error(`The organization refused: ${given.code}`);
  };
  return {
    register: (context, organizationId, name) =>
      must(
        organizations.send(
          organizationId,
          { type: 'RegisterOrganization', data: { organizationId, name } },
          context,
        ),
      ),
    async addMember(context, member) {
      await must(
        organizations.send(member.organizationId, { type: 'AddMember', data: member }, context),
      );
      const { members } = await organizations.load(member.organizationId);
      const role = members.get(member.userId);
      if (!role) throw new Error('A member is missing after joining');
      await kit.pool.query(
        `insert into operational.access (user_id, organization_id, role) values ($1, $2, $3)
         on conflict (user_id) do nothing`,
        [member.userId, member.organizationId, role],
      );
    },
    nameOf: async (organizationId) => (await organizations.load(organizationId)).name ?? '',
  };
}
