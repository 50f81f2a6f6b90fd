import { z } from 'zod';

/** An email address as entered: trimmed, at most 254 characters. */
export const EmailAddress = z
  .string({ error: 'Please enter a valid email address' })
  .trim()
  .max(254, 'Please enter a valid email address')
  .pipe(z.email({ error: 'Please enter a valid email address' }));

export const Username = z
  .string({ error: 'Username must be at least 2 characters' })
  .trim()
  .min(2, 'Username must be at least 2 characters')
  .max(100, 'Username must be at most 100 characters');

export const NewPassword = z
  .string({ error: 'Password must be at least 8 characters' })
  .min(8, 'Password must be at least 8 characters')
  .max(1024, 'Password must be at most 1024 characters');

export const GivenPassword = z
  .string({ error: 'Password must be at least 6 characters' })
  .min(6, 'Password must be at least 6 characters')
  .max(1024, 'Password must be at most 1024 characters');

export const OrganizationName = z
  .string({ error: 'Organization name must be at least 2 characters' })
  .trim()
  .min(2, 'Organization name must be at least 2 characters')
  .max(120, 'Organization name must be at most 120 characters');

/** A password given as proof; rules for new passwords do not apply. */
export const PresentPassword = z
  .string({ error: 'Please enter your password' })
  .min(1, 'Please enter your password')
  .max(1024, 'Password must be at most 1024 characters');

/** Warnings about a new password that do not prevent its use. */
export const PasswordWarning = z.enum(['common-password']);
export type PasswordWarning = z.infer<typeof PasswordWarning>;

/** Six digits of an authenticator, or a recovery code; spaces are ignored. */
export const SecondFactorCode = z
  .string({ error: 'Please enter the code' })
  .trim()
  .min(6, 'Please enter the code')
  .max(40, 'Please enter the code');

const LINK = 'Must be the token of a link';
export const LinkToken = z.string({ error: LINK }).min(1, LINK).max(200, LINK);
