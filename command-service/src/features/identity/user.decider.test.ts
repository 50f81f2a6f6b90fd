import {
  UserRegistered,
  UserSignedIn,
  UserSignedOut,
} from '@tallyhand/contracts/features/identity/identity.events';
import type { Ciphertext } from '@tallyhand/contracts/kernel/ids';
import { derivedId } from '@tallyhand/service-kit/crypto/ids';
import { describe, expect, it } from 'vitest';
import { rulesOf } from '../../kit/testing/given.ts';
import { userDecider } from './user.decider.ts';

const own = { userId: derivedId('ada'), organizationId: derivedId('organization') };
const registration = {
  ...own,
  username: 'sealed name' as Ciphertext,
  email: 'sealed address' as Ciphertext,
  invitationId: null,
};
const signIn = { ...own, signInId: derivedId('sign-in'), userAgent: null };
const signOut = { ...own, signInId: derivedId('sign-in'), reason: 'by-person' as const };

const register = { type: 'RegisterUser' as const, data: registration };
const registered = UserRegistered(registration);

const given = rulesOf(userDecider);

describe('RegisterUser', () => {
  it('registers the person', () => {
    given().when(register).thenAppended(registered);
  });
  it('does nothing the second time it arrives, however it was sealed', () => {
    given(registered).when(register).thenNothing();
    const sealedAnew = { ...registration, username: 'sealed again' as Ciphertext };
    given(registered)
      .when({ ...register, data: sealedAnew })
      .thenNothing();
  });
});

describe('RecordSignIn', () => {
  it('records every sign-in: a person has many', () => {
    given(registered)
      .when({ type: 'RecordSignIn', data: signIn })
      .thenAppended(UserSignedIn(signIn));
    given(registered, UserSignedIn(signIn))
      .when({ type: 'RecordSignIn', data: signIn })
      .thenAppended(UserSignedIn(signIn));
  });
});

describe('RecordSignOut', () => {
  it('records it, and the person stays who they are', () => {
    given(registered, UserSignedIn(signIn))
      .when({ type: 'RecordSignOut', data: signOut })
      .thenAppended(UserSignedOut(signOut));
    const after = given(registered, UserSignedIn(signIn), UserSignedOut(signOut)).state();
    expect(after).toEqual(given(registered).state());
  });
});
