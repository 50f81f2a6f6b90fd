import { z } from 'zod';
import { Ciphertext, Id } from '../../kernel/ids.ts';
import { type EventsOf, event } from '../../kernel/messages.ts';
import {
  NotificationPreferencesChanged,
  NotificationsRead,
} from '../notifications/notifications.events.ts';

/** On `user-{id}`. Name and email address are ciphertext under the person's key. */
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
  // Version 1 had a single reason.
  [(data) => data],
);
export const ProfileChanged = event('ProfileChanged', {
  userId: Id,
  organizationId: Id,
  username: Ciphertext,
});
/** The previous address stays reserved as long as the change can be undone. */
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
 * These keys are destroyed, and nothing encrypted with them can be read again: the person's, and
 * those of invitations sent to their address.
 */
export const PersonErased = event('PersonErased', {
  userId: Id,
  organizationId: Id,
  keys: z.array(Id),
});

/**
 * On `email-{keyed hash}`: the only guarantee that an address belongs to one account. It has every
 * id of the registration, so that any process can finish an interrupted one.
 */
export const EmailReserved = event(
  'EmailReserved',
  {
    emailKey: z.string(),
    userId: Id,
    organizationId: Id,
    invitationId: Id.nullable(),
    /** What an interrupted registration needs to continue; the name is not personal data. */
    organizationName: z.string().nullable(),
    username: Ciphertext,
    email: Ciphertext,
    /** `reclaim`: by a member who is readmitted. */
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
