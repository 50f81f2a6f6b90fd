import { userEvents } from '@tallyhand/contracts/features/identity/identity.events';
import { organizationEvents } from '@tallyhand/contracts/features/organizations/organizations.events';
import { membersModel } from '@tallyhand/read-models/features/team/team.tables';
import { ERASED } from '@tallyhand/service-kit/crypto/person-keys';
import { projection } from '../../kernel/projection.ts';
import { updateRow } from '../../kernel/rows.ts';

/**
 * A member's name comes from the person's stream and the role from the organization's stream.
 * Either may come first, so each writes only its own columns.
 */
export const membersProjection = projection({
  model: membersModel,
  kinds: { ...organizationEvents, ...userEvents },
  on: {
    OrganizationRegistered: 'ignored',
    MemberJoined: (tx, { organizationId, userId, role, lastDay }, { at }) =>
      tx
        .insertInto('members')
        .values({
          user_id: userId,
          organization_id: organizationId,
          username: '',
          email: '',
          role,
          last_day: lastDay,
          status: 'active',
          last_active_at: null,
          joined_at: at,
        })
        .onConflict((conflict) =>
          conflict.column('user_id').doUpdateSet({
            role,
            last_day: lastDay,
            status: 'active',
            joined_at: at,
          }),
        )
        .execute(),
    MemberRoleChanged: (tx, { userId, role, lastDay }) =>
      updateRow(tx, 'members', userId, { role, last_day: lastDay }),
    MemberDeactivated: (tx, { userId }) =>
      updateRow(tx, 'members', userId, { status: 'deactivated' }),
    MemberReactivated: (tx, { userId }) => updateRow(tx, 'members', userId, { status: 'active' }),
    UserRegistered: async (tx, data, { at, reveal }) => {
      const names = {
        username: await reveal(data.userId, data.username),
        email: await reveal(data.userId, data.email),
      };
      await tx
        .insertInto('members')
        .values({
          user_id: data.userId,
          organization_id: data.organizationId,
          ...names,
          role: 'Viewer',
          last_day: null,
          status: 'joining',
          last_active_at: null,
          joined_at: at,
        })
        .onConflict((conflict) => conflict.column('user_id').doUpdateSet(names))
        .execute();
    },
    UserSignedIn: (tx, { userId }, { at }) =>
      updateRow(tx, 'members', userId, { last_active_at: at }),
    UserSignedOut: 'ignored',
    ProfileChanged: async (tx, { userId, username }, { reveal }) =>
      updateRow(tx, 'members', userId, { username: await reveal(userId, username) }),
    EmailChanged: async (tx, { userId, email }, { reveal }) =>
      updateRow(tx, 'members', userId, { email: await reveal(userId, email) }),
    PasswordChanged: 'ignored',
    SecondFactorEnabled: 'ignored',
    SecondFactorDisabled: 'ignored',
    OrganizationClosed: 'ignored',
    RetentionRuleChanged: 'ignored',
    LegalHoldPlaced: 'ignored',
    LegalHoldLifted: 'ignored',
    EmbeddingModelChosen: 'ignored',
    ChatTokenBudgetSet: 'ignored',
    PersonErased: (tx, { userId }) =>
      updateRow(tx, 'members', userId, { username: ERASED, email: ERASED, status: 'erased' }),
    NotificationsRead: 'ignored',
    NotificationPreferencesChanged: 'ignored',
  },
});
