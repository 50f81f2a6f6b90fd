import { z } from 'zod';
import { Ciphertext, Id } from '../../kernel/ids.ts';
import { type EventsOf, event } from '../../kernel/messages.ts';
import {
  NotificationPreferencesChanged,
  NotificationsRead,
} from '../notifications/notifications.events.ts';

/** On `user-{id}`. Name and address stand here only as ciphertext under the person's key. */
export const UserRegistered = event('UserRegistered', {
  userId: Id,
  organizationId: Id,
  username: Ciphertext,
  email: Ciphertext,
  invitationId: Id.nullable(),
});
export const UserSignedIn = event('UserSignedIn', {
  userId: Id,
  organizationId: Id,
  signInId: Id,
  userAgent: Ciphertext.nullable(),
});
export const SIGN_OUT_REASONS = [
  'by-person',
  'from-another-sign-in',
  'password-changed',
  'password-reset',
  'email-undone',
] as const;
export const UserSignedOut = event(
  'UserSignedOut',
  { userId: Id, organizationId: Id, signInId: Id, reason: z.enum(SIGN_OUT_REASONS) },
  // More reasons than the one that there was.
  [(data) => data],
);
export const ProfileChanged = event('ProfileChanged', {
  userId: Id,
  organizationId: Id,
  username: Ciphertext,
});
/** The address before stays reserved for as long as the change can be undone. */
export const EmailChanged = event('EmailChanged', {
  userId: Id,
  organizationId: Id,
  changeId: Id,
  email: Ciphertext,
  emailKey: z.string(),
  previousEmail: Ciphertext,
  previousEmailKey: z.string(),
  isUndo: z.boolean(),
});
export const PasswordChanged = event('PasswordChanged', {
  userId: Id,
  organizationId: Id,
  reason: z.enum(['by-person', 'by-reset']),
});
export const SecondFactorEnabled = event('SecondFactorEnabled', {
  userId: Id,
  organizationId: Id,
  factorId: Id,
});
export const SecondFactorDisabled = event('SecondFactorDisabled', {
  userId: Id,
  organizationId: Id,
  factorId: Id,
});
/**
 * Nothing that stands under these keys can be read from now on: the person's own, and those of the
 * invitations that were sent to their address.
 */
export const PersonErased = event('PersonErased', {
  userId: Id,
  organizationId: Id,
  keys: z.array(Id),
});

/**
 * On `email-{keyed hash}`: the only guarantee that an address belongs to one account. It carries
 * every id of the registration, so that an unfinished one can be finished by whoever finds it.
 */
export const EmailReserved = event(
  'EmailReserved',
  {
    emailKey: z.string(),
    userId: Id,
    organizationId: Id,
    invitationId: Id.nullable(),
    /** What a registration that was cut off needs to go on; the name is not personal data. */
    organizationName: z.string().nullable(),
    username: Ciphertext,
    email: Ciphertext,
    /** `reclaim`: of a member who comes back. */
    purpose: z.enum(['registration', 'change', 'reclaim']),
    /** The change of address that it was reserved for. */
    changeId: Id.nullable(),
  },
  [(data) => ({ ...data, purpose: 'registration', changeId: null })],
);
export const EmailReleased = event('EmailReleased', { emailKey: z.string(), userId: Id });

/** Every event of the stream, by type. */
export const userEvents = {
  UserRegistered,
  UserSignedIn,
  UserSignedOut,
  ProfileChanged,
  EmailChanged,
  PasswordChanged,
  SecondFactorEnabled,
  SecondFactorDisabled,
  PersonErased,
  NotificationsRead,
  NotificationPreferencesChanged,
};
export type UserEvent = EventsOf<typeof userEvents>;
/** Every event of the stream, by type. */
export const emailEvents = {
  EmailReserved,
  EmailReleased,
};
export type EmailEvent = EventsOf<typeof emailEvents>;
