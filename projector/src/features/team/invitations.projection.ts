import { PersonErased } from '@tallyhand/contracts/features/identity/identity.events';
import { invitationEvents } from '@tallyhand/contracts/features/team/team.events';
import { invitationsModel } from '@tallyhand/read-models/features/team/team.tables';
import { ERASED } from '@tallyhand/service-kit/crypto/person-keys';
import { sql } from 'kysely';
import { projection } from '../../kernel/projection.ts';
import { addRows, newRow, updateRow } from '../../kernel/rows.ts';

export const invitationsProjection = projection({
  model: invitationsModel,
  kinds: { ...invitationEvents, PersonErased },
  on: {
    InvitationIssued: async (tx, data, { at, reveal }) => {
      const email = data.email && (await reveal(data.invitationId, data.email));
      const row = newRow('invitations', data, at, { email, status: 'pending', uses: 0, resent: 0 });
      await addRows(tx, 'invitations', [row]);
    },
    InvitationResent: (tx, { invitationId, number, expiresAt }) =>
      updateRow(tx, 'invitations', invitationId, { resent: number, expires_at: expiresAt }),
    InvitationRevoked: (tx, { invitationId }) =>
      updateRow(tx, 'invitations', invitationId, { status: 'revoked' }),
    /** A link stays open for others; an invitation by email is used up. */
    InvitationAccepted: (tx, { invitationId }) =>
      updateRow(tx, 'invitations', invitationId, {
        uses: sql`uses + 1`,
        status: sql`case when kind = 'link' then status else 'accepted' end`,
      }),
    PersonErased: (tx, { keys }) =>
      tx
        .updateTable('invitations')
        .set({ email: ERASED })
        .where('invitation_id', 'in', keys)
        .where('email', 'is not', null)
        .execute(),
  },
});
