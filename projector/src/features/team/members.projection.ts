import { userEvents } from '@tallyhand/contracts/features/identity/identity.events';
import { organizationEvents } from '@tallyhand/contracts/features/organizations/organizations.events';
import { membersModel } from '@tallyhand/read-models/features/team/team.tables';
import type { Row } from '@tallyhand/read-models/read-models';
import { ERASED } from '@tallyhand/service-kit/crypto/person-keys';
import { projection, type Tx } from '../../kernel/projection.ts';

/**
 * A member's name comes from the person's stream and the role from the organization's; either may
 * come first, so each writes only its own columns.
 */
export const membersProjection = projection({
  model: membersModel,
  kinds: { ...organizationEvents, ...userEvents },
  on: {
    OrganizationRegistered: 'ignored',
    MemberJoined: (tx, { organizationId, userId, role }, { at }) =>
      tx
        .insertInto('members')
        .values({
          user_id: userId,
          organization_id: organizationId,
          username: '',
          email: '',
          role,
          status: 'active',
          last_active_at: null,
          joined_at: at,
        })
        .onConflict((conflict) =>
          conflict.column('user_id').doUpdateSet({ role, status: 'active', joined_at: at }),
        )
        .execute(),
    MemberRoleChanged: (tx, { userId, role }) =>
      tx.updateTable('members').set({ role }).where('user_id', '=', userId).execute(),
    MemberDeactivated: (tx, { userId }) => setStatus(tx, userId, 'deactivated'),
    MemberReactivated: (tx, { userId }) => setStatus(tx, userId, 'active'),
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
          status: 'joining',
          last_active_at: null,
          joined_at: at,
        })
        .onConflict((conflict) => conflict.column('user_id').doUpdateSet(names))
        .execute();
    },
    UserSignedIn: (tx, { userId }, { at }) =>
      tx.updateTable('members').set({ last_active_at: at }).where('user_id', '=', userId).execute(),
    UserSignedOut: 'ignored',
    ProfileChanged: async (tx, { userId, username }, { reveal }) =>
      change(tx, userId, { username: await reveal(userId, username) }),
    EmailChanged: async (tx, { userId, email }, { reveal }) =>
      change(tx, userId, { email: await reveal(userId, email) }),
    PasswordChanged: 'ignored',
    SecondFactorEnabled: 'ignored',
    SecondFactorDisabled: 'ignored',
    OrganizationClosed: 'ignored',
    PersonErased: (tx, { userId }) =>
      change(tx, userId, { username: ERASED, email: ERASED, status: 'erased' }),
    NotificationsRead: 'ignored',
    NotificationPreferencesChanged: 'ignored',
  },
});

const setStatus = (tx: Tx, userId: string, status: string) =>
  tx.updateTable('members').set({ status }).where('user_id', '=', userId).execute();

const change = (tx: Tx, userId: string, columns: Partial<Row<'members'>>) =>
  tx.updateTable('members').set(columns).where('user_id', '=', userId).execute();
