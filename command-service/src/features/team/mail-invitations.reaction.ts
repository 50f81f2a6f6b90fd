import { invitationEvents } from '@tallyhand/contracts/features/team/team.events';
import type { StoredEvent } from '@tallyhand/service-kit/event-store/event-log';
import { type Reaction, reaction } from '../../kit/reactions.ts';
import type { Invitations } from './invitations.ts';

const { InvitationResent } = invitationEvents;

/** An invitation whose mail was not stored when its process died is mailed here. */
export const mailInvitations = ({ mailAgain }: Invitations): Reaction => {
  const follow = async ({ data }: StoredEvent) =>
    mailAgain(InvitationResent.schema.shape.invitationId.parse(data.invitationId));
  return reaction('mail-invitations', { InvitationIssued: follow, InvitationResent: follow });
};
