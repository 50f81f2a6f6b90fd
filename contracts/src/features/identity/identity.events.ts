import { z } from 'zod';
import { Ciphertext, Id } from '../../kernel/ids.ts';
import { type EventsOf, event } from '../../kernel/messages.ts';

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
export const UserSignedOut = event('UserSignedOut', {
  userId: Id,
  organizationId: Id,
  signInId: Id,
  reason: z.enum(['by-person']),
});

/**
 * On `email-{keyed hash}`: the only guarantee that an address belongs to one account. It carries
 * every id of the registration, so that an unfinished one can be finished by whoever finds it.
 */
export const EmailReserved = event('EmailReserved', {
  emailKey: z.string(),
  userId: Id,
  organizationId: Id,
  invitationId: Id.nullable(),
  /** What a registration that was cut off needs to go on; the name is not personal data. */
  organizationName: z.string().nullable(),
  username: Ciphertext,
  email: Ciphertext,
});
export const EmailReleased = event('EmailReleased', { emailKey: z.string(), userId: Id });

/** Every event of the stream, by type. */
export const userEvents = {
  UserRegistered,
  UserSignedIn,
  UserSignedOut,
};
export type UserEvent = EventsOf<typeof userEvents>;
/** Every event of the stream, by type. */
export const emailEvents = {
  EmailReserved,
  EmailReleased,
};
export type EmailEvent = EventsOf<typeof emailEvents>;
