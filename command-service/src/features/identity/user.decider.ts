import {
  EmailChanged,
  PasswordChanged,
  PersonErased,
  ProfileChanged,
  SecondFactorDisabled,
  SecondFactorEnabled,
  type UserEvent,
  UserRegistered,
  UserSignedIn,
  UserSignedOut,
  userEvents,
} from '@tallyhand/contracts/features/identity/identity.events';
import type { NotificationPreferences } from '@tallyhand/contracts/features/notifications/notifications.endpoints';
import {
  NotificationPreferencesChanged,
  NotificationsRead,
} from '@tallyhand/contracts/features/notifications/notifications.events';
import type { Ciphertext } from '@tallyhand/contracts/kernel/ids';
import type { EventValue } from '@tallyhand/contracts/kernel/messages';
import type { Decider, StreamPolicy } from '../../kit/stream-policy.ts';

type Data<E extends (data: never) => unknown> = Parameters<E>[0];

type OfPerson = { readonly userId: string; readonly organizationId: string };
export type PreferenceChange = {
  readonly [K in keyof NotificationPreferences]?: boolean | undefined;
};

type UserCommand =
  | EventValue<'RegisterUser', Data<typeof UserRegistered>>
  | EventValue<'RecordSignIn', Data<typeof UserSignedIn>>
  | EventValue<'RecordSignOut', Data<typeof UserSignedOut>>
  | EventValue<'ChangeProfile', Data<typeof ProfileChanged>>
  | EventValue<'ChangeEmail', Data<typeof EmailChanged>>
  | EventValue<'RecordPasswordChange', Data<typeof PasswordChanged>>
  | EventValue<'EnableSecondFactor', Data<typeof SecondFactorEnabled>>
  | EventValue<'DisableSecondFactor', Data<typeof SecondFactorDisabled>>
  | EventValue<'ReadNotifications', Data<typeof NotificationsRead>>
  | EventValue<'ChangeNotificationPreferences', OfPerson & { readonly change: PreferenceChange }>
  | EventValue<'ErasePerson', Data<typeof PersonErased>>;

/** A person. Their stream has the history of sign-ins, which themselves are operational rows. */
export type User = {
  readonly registered: {
    readonly organizationId: string;
    readonly invitationId: string | null;
    readonly username: Ciphertext;
    readonly email: Ciphertext;
  } | null;
  /** The changes of address, by id. */
  readonly emailChanges: ReadonlyMap<string, Data<typeof EmailChanged>>;
  /** The id of the enabled one. */
  readonly factorId: string | null;
  readonly isErased: boolean;
  readonly preferences: NotificationPreferences;
  /** All notifications up to this moment are read; null if they were never marked so. */
  readonly readUntil: string | null;
};

/** Two open windows may both mark all as read. */
function readNotifications(read: Data<typeof NotificationsRead>, { readUntil }: User) {
  const isKnown = readUntil !== null && read.until !== null && read.until <= readUntil;
  return isKnown && read.ids.length === 0 ? [] : [NotificationsRead(read)];
}

function changePreferences(
  { userId, organizationId, change }: OfPerson & { readonly change: PreferenceChange },
  { preferences }: User,
) {
  const changed = { ...preferences };
  for (const name of Object.keys(preferences) as (keyof NotificationPreferences)[]) {
    changed[name] = change[name] ?? preferences[name];
  }
  const isSame = JSON.stringify(changed) === JSON.stringify(preferences);
  return isSame ? [] : [NotificationPreferencesChanged({ userId, organizationId, ...changed })];
}

export const userDecider: Decider<User, UserCommand, UserEvent, never> = {
  initialState: () => ({
    registered: null,
    emailChanges: new Map(),
    factorId: null,
    isErased: false,
    preferences: {
      emailNotifications: true,
      agentStatusUpdates: true,
      creditBalanceAlerts: true,
    },
    readUntil: null,
  }),
  decide(command, user) {
    switch (command.type) {
      case 'RegisterUser':
        return user.registered ? [] : [UserRegistered(command.data)];
      case 'RecordSignIn':
        return [UserSignedIn(command.data)];
      case 'RecordSignOut':
        return [UserSignedOut(command.data)];
      case 'ChangeProfile':
        return user.isErased ? [] : [ProfileChanged(command.data)];
      case 'ChangeEmail': {
        const isMade = user.emailChanges.has(command.data.changeId);
        return isMade || user.isErased ? [] : [EmailChanged(command.data)];
      }
      case 'RecordPasswordChange':
        return [PasswordChanged(command.data)];
      case 'EnableSecondFactor':
        return user.factorId === command.data.factorId ? [] : [SecondFactorEnabled(command.data)];
      case 'DisableSecondFactor':
        return user.factorId === command.data.factorId ? [SecondFactorDisabled(command.data)] : [];
      case 'ReadNotifications':
        return readNotifications(command.data, user);
      case 'ChangeNotificationPreferences':
        return changePreferences(command.data, user);
      case 'ErasePerson':
        return user.isErased ? [] : [PersonErased(command.data)];
    }
  },
  evolve(user, event) {
    const { registered } = user;
    switch (event.type) {
      case 'UserRegistered':
        return { ...user, registered: event.data };
      case 'ProfileChanged':
        return {
          ...user,
          registered: registered && { ...registered, username: event.data.username },
        };
      case 'EmailChanged': {
        const { changeId, email } = event.data;
        const emailChanges = new Map(user.emailChanges).set(changeId, event.data);
        return { ...user, emailChanges, registered: registered && { ...registered, email } };
      }
      case 'SecondFactorEnabled':
        return { ...user, factorId: event.data.factorId };
      case 'SecondFactorDisabled':
        return { ...user, factorId: null };
      case 'PersonErased':
        return { ...user, isErased: true };
      case 'NotificationsRead':
        return { ...user, readUntil: event.data.until ?? user.readUntil };
      case 'NotificationPreferencesChanged': {
        const { userId: _, organizationId: __, ...preferences } = event.data;
        return { ...user, preferences };
      }
      case 'UserSignedIn':
      case 'UserSignedOut':
      case 'PasswordChanged':
        return user;
    }
  },
};

export const userStream: StreamPolicy<User, UserCommand, UserEvent, never> = {
  category: 'user',
  decider: userDecider,
  begunBy: 'RegisterUser',
  events: userEvents,
};
