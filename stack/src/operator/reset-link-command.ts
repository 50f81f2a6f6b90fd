import type { OpenedKit } from '@tallyhand/command-service/app/open-kit';
import { OperatorError } from './operator-error.ts';

export const RESET_LINK_USAGE = `Prints a link that sets a new password, while the product runs:
  npm run reset-link -- EMAIL
      the link works once, within an hour; hand it only to the person whose address it is`;

/** Where no mail is sent this is the only way to a new password; no page of the product has it. */
export async function runResetLinkCommand(
  [email, ...more]: readonly string[],
  { features }: OpenedKit,
): Promise<{ readonly lines: readonly string[]; readonly isWell: boolean }> {
  if (!email || more.length > 0) throw new OperatorError(RESET_LINK_USAGE);
  const link = await features.resets.linkOf(email);
  if (!link) throw new OperatorError('There is no account with this e-mail address.');
  return { lines: [link], isWell: true };
}
