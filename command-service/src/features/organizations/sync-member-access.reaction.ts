import { organizationEvents } from '@tallyhand/contracts/features/organizations/organizations.events';
import { derivedId } from '@tallyhand/service-kit/crypto/ids';
import type { StoredEvent } from '@tallyhand/service-kit/event-store/event-log';
import { type Reaction, reaction, reactionContext } from '../../kit/reactions.ts';
import type { Organizations } from './organizations.ts';

const OfMember = organizationEvents.MemberDeactivated.schema;

/** A change of a member that was cut off before access followed goes on here. */
export const syncMemberAccess = (organizations: Organizations): Reaction => {
  const follow = async (event: StoredEvent) => {
    const context = reactionContext(event, derivedId(event.id, 'members-in-line'));
    await organizations.syncAccess(context, OfMember.parse(event.data));
  };
  return reaction('members-in-line', {
    MemberRoleChanged: follow,
    MemberDeactivated: follow,
    MemberReactivated: follow,
  });
};
