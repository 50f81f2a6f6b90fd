import { NewPassword } from '@tallyhand/contracts/features/identity/identity.fields';
import { z } from 'zod';

/** A new password, typed twice. */
export const NewPasswords = z
  .object({ newPassword: NewPassword, confirmPassword: z.string() })
  .refine(({ newPassword, confirmPassword }) => newPassword === confirmPassword, {
    path: ['confirmPassword'],
    message: "Passwords don't match",
    when: () => true,
  });
