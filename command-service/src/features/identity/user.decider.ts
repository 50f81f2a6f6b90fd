import {
  type UserEvent,
  UserRegistered,
  UserSignedIn,
  UserSignedOut,
  userEvents,
} from '@tallyhand/contracts/features/identity/identity.events';
import type { Ciphertext } from '@tallyhand/contracts/kernel/ids';
import type { EventValue } from '@tallyhand/contracts/kernel/messages';
import type { Decider } from '../../kit/decider.ts';

type UserCommand =
  | EventValue<'RegisterUser', Parameters<typeof UserRegistered>[0]>
  | EventValue<'RecordSignIn', Parameters<typeof UserSignedIn>[0]>
  | EventValue<'RecordSignOut', Parameters<typeof UserSignedOut>[0]>;

/** A person; sign-ins themselves are kept in the operational tables, here is their history. */
export type User = {
  readonly registered: {
    readonly organizationId: string;
    readonly username: Ciphertext;
    readonly email: Ciphertext;
    readonly invitationId: string | null;
  } | null;
};

export const userDecider: Decider<User, UserCommand, UserEvent> = {
  category: 'user',
  kinds: userEvents,
  initialState: () => ({ registered: null }),
  decide(command, user) {
    switch (command.type) {
      case 'RegisterUser':
        return user.registered ? [] : [UserRegistered(command.data)];
      case 'RecordSignIn':
        return [UserSignedIn(command.data)];
      case 'RecordSignOut':
        return [UserSignedOut(command.data)];
    }
  },
  evolve(user, event) {
    switch (event.type) {
      case 'UserRegistered':
        return { registered: event.data };
      case 'UserSignedIn':
      case 'UserSignedOut':
        return user;
    }
  },
};
