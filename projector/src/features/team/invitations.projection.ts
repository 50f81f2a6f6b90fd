import { PersonErased } from '@tallyhand/contracts/features/identity/identity.events';
import { invitationEvents } from '@tallyhand/contracts/features/team/team.events';
import { invitationsModel } from '@tallyhand/read-models/features/team/team.tables';
import { ERASED } from '@tallyhand/service-kit/crypto/person-keys';
import { sql } from 'kysely';
import { projection } from '../../kernel/projection.ts';

export const invitationsProjection = projection({
  model: invitationsModel,
  kinds: { ...invitationEvents, PersonErased },
  on: {
    InvitationIssued: async (tx, data, { at, reveal }) =>
      tx
        .insertInto('invitations')
        .values({
          invitation_id: data.invitationId,
          organization_id: data.organizationId,
          kind: data.kind,
          email: data.email && (await reveal(data.invitationId, data.email)),
          role: data.role,
          status: 'pending',
          uses: 0,
          resent: 0,
          created_at: at,
          expires_at: data.expiresAt,
        })
        .execute(),
    InvitationResent: (tx, { invitationId, number, expiresAt }) =>
      tx
        .updateTable('invitations')
        .set({ resent: number, expires_at: expiresAt })
        .where('invitation_id', '=', invitationId)
        .execute(),
    InvitationRevoked: (tx, { invitationId }) =>
      tx
        .updateTable('invitations')
        .set({ status: 'revoked' })
        .where('invitation_id', '=', invitationId)
        .execute(),
    /** A link stays open for others; an invitation by address is used up. */
    InvitationAccepted: (tx, { invitationId }) =>
      tx
        .updateTable('invitations')
        .set({
          uses: sql`uses + 1`,
          status: sql`case when kind = 'link' then status else 'accepted' end`,
        })
        .where('invitation_id', '=', invitationId)
        .execute(),
    PersonErased: (tx, { keys }) =>
      tx
        .updateTable('invitations')
        .set({ email: ERASED })
        .where('invitation_id', 'in', keys)
        .where('email', 'is not', null)
        .execute(),
  },
});
