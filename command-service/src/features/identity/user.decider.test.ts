import {
  EmailChanged,
  PersonErased,
  ProfileChanged,
  SecondFactorDisabled,
  SecondFactorEnabled,
  UserRegistered,
  UserSignedIn,
  UserSignedOut,
} from '@tallyhand/contracts/features/identity/identity.events';
import {
  NotificationPreferencesChanged,
  NotificationsRead,
} from '@tallyhand/contracts/features/notifications/notifications.events';
import type { Ciphertext } from '@tallyhand/contracts/kernel/ids';
import { derivedId } from '@tallyhand/service-kit/crypto/ids';
import { describe, expect, it } from 'vitest';
import { rulesOf } from '../../kit/testing/given.ts';
import { userStream } from './user.decider.ts';

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
const erased = PersonErased({ ...own, keys: [own.userId] });

const given = rulesOf(userStream);

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
  it('records every sign-in: a person can have many', () => {
    given(registered)
      .when({ type: 'RecordSignIn', data: signIn })
      .thenAppended(UserSignedIn(signIn));
    given(registered, UserSignedIn(signIn))
      .when({ type: 'RecordSignIn', data: signIn })
      .thenAppended(UserSignedIn(signIn));
  });
});

describe('RecordSignOut', () => {
  it('records the visit, and changes nothing about the person', () => {
    given(registered, UserSignedIn(signIn))
      .when({ type: 'RecordSignOut', data: signOut })
      .thenAppended(UserSignedOut(signOut));
    const after = given(registered, UserSignedIn(signIn), UserSignedOut(signOut)).state();
    expect(after).toEqual(given(registered).state());
  });
});

describe('ChangeProfile', () => {
  const username = 'sealed other name' as Ciphertext;
  const change = { type: 'ChangeProfile' as const, data: { ...own, username } };
  it("changes the person's name", () => {
    given(registered).when(change).thenAppended(ProfileChanged(change.data));
    const { registered: after } = given(registered, ProfileChanged(change.data)).state();
    expect(after).toMatchObject({ username, email: registration.email });
  });
  it('does nothing for an erased person', () => {
    given(registered, erased).when(change).thenNothing();
  });
});

describe('ChangeEmail', () => {
  const data = {
    ...own,
    changeId: derivedId('change'),
    isUndo: false,
    email: 'sealed new' as Ciphertext,
    emailKey: 'new',
    previousEmail: registration.email,
    previousEmailKey: 'old',
  };
  const change = { type: 'ChangeEmail' as const, data };
  const another = { ...data, changeId: derivedId('another'), email: 'sealed newer' as Ciphertext };
  it("changes the person's address", () => {
    given(registered).when(change).thenAppended(EmailChanged(data));
    const { registered: after } = given(registered, EmailChanged(data)).state();
    expect(after?.email).toBe('sealed new');
  });
  it('does nothing the second time it arrives, even after another change', () => {
    given(registered, EmailChanged(data)).when(change).thenNothing();
    given(registered, EmailChanged(data), EmailChanged(another)).when(change).thenNothing();
  });
  it('does nothing for an erased person', () => {
    given(registered, erased).when(change).thenNothing();
  });
});

describe('the second factor', () => {
  const data = { ...own, factorId: derivedId('factor') };
  const enable = { type: 'EnableSecondFactor' as const, data };
  const disable = { type: 'DisableSecondFactor' as const, data };
  it('is on once, and off once', () => {
    const enabled = SecondFactorEnabled(data);
    given(registered).when(enable).thenAppended(enabled);
    given(registered, enabled).when(enable).thenNothing();
    given(registered, enabled).when(disable).thenAppended(SecondFactorDisabled(data));
    given(registered, enabled, SecondFactorDisabled(data)).when(disable).thenNothing();
  });
  it('stays on when another one is to go', () => {
    const other = { ...data, factorId: derivedId('other') };
    given(registered, SecondFactorEnabled(other)).when(disable).thenNothing();
  });
});

describe('ErasePerson', () => {
  it('happens once', () => {
    const erase = { type: 'ErasePerson' as const, data: erased.data };
    given(registered).when(erase).thenAppended(erased);
    given(registered, erased).when(erase).thenNothing();
  });
});

describe('ReadNotifications', () => {
  const early = '2026-11-21T08:00:00.000Z';
  const late = '2026-11-21T09:00:00.000Z';
  const read = (ids: string[], until: string | null) => ({ ...own, ids, until });
  const of = (ids: string[], until: string | null) => ({
    type: 'ReadNotifications' as const,
    data: read(ids, until),
  });
  const until = (moment: string) => NotificationsRead(read([], moment));

  it('records the read notifications', () => {
    const ids = [derivedId('notice')];
    given(registered)
      .when(of(ids, null))
      .thenAppended(NotificationsRead(read(ids, null)));
    given(registered, until(early)).when(of([], late)).thenAppended(until(late));
  });
  it('does nothing where all until then was read before', () => {
    given(registered, until(late)).when(of([], late)).thenNothing();
    given(registered, until(late), NotificationsRead(read([own.userId], null)))
      .when(of([], early))
      .thenNothing();
  });
});

describe('ChangeNotificationPreferences', () => {
  const on = { emailNotifications: true, agentStatusUpdates: true, creditBalanceAlerts: true };
  const changed = (preferences: object) =>
    NotificationPreferencesChanged({ ...own, ...on, ...preferences });
  const change = (preferences: Partial<typeof on>) => ({
    type: 'ChangeNotificationPreferences' as const,
    data: { ...own, change: preferences },
  });

  it('changes the given preferences, and leaves the others', () => {
    given(registered)
      .when(change({ emailNotifications: false }))
      .thenAppended(changed({ emailNotifications: false }));
    given(registered, changed({ emailNotifications: false }))
      .when(change({ agentStatusUpdates: false }))
      .thenAppended(changed({ emailNotifications: false, agentStatusUpdates: false }));
  });
  it('does nothing if that is the case already', () => {
    given(registered).when(change(on)).thenNothing();
  });
});
