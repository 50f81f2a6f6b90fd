import {
  EmailAddress,
  NewPassword,
  OrganizationName,
  Username,
} from '@tallyhand/contracts/features/identity/identity.fields';
import { z } from 'zod';

const base = {
  username: Username,
  email: EmailAddress,
  password: NewPassword,
  confirmPassword: z.string(),
};

type Passwords = { password: string; confirmPassword: string };
const equal = ({ password, confirmPassword }: Passwords) => password === confirmPassword;
const mismatch = {
  path: ['confirmPassword'],
  message: "Passwords don't match",
  // Shown beside the other faults of the form, not only after they are mended.
  when: () => true,
};

/** What the sign-up form asks for. */
export const RegistrationForm = z
  .object({ ...base, organizationName: OrganizationName })
  .refine(equal, mismatch);

/** With an invitation the organization is given, and not checked. */
export const InvitedRegistrationForm = z
  .object({ ...base, organizationName: z.string() })
  .refine(equal, mismatch);
