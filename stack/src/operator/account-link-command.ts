import type { OpenedKit } from '@tallyhand/command-service/app/open-kit';
import type { AccountLink } from '@tallyhand/command-service/features/identity/account-links';
import { OperatorError } from './operator-error.ts';

const ONCE = 'the link works once, within an hour; hand it only to the person whose address it is';

export const ACCOUNT_LINK_USAGE: Readonly<Record<AccountLink, string>> = {
  reset: `Prints a link for setting a new password, while the product runs:
  npm run reset-link -- EMAIL
      ${ONCE}`,
  device: `Prints a link for a member who is throttled by others' failed sign-ins:
  npm run device-link -- EMAIL
      the device that opens it can sign in immediately, with the same password;
      ${ONCE}`,
};

/** Without a mail server this is the only way to a link; no page of the product has it. */
export const accountLinkCommand =
  (link: AccountLink) =>
  async (
    [email, ...more]: readonly string[],
    { features }: Pick<OpenedKit, 'features'>,
  ): Promise<{ readonly lines: readonly string[]; readonly isWell: boolean }> => {
    if (!email || more.length > 0) throw new OperatorError(ACCOUNT_LINK_USAGE[link]);
    const url = await features.accountLinks.linkOf(link, email);
    if (!url) throw new OperatorError('There is no account with this email address.');
    return { lines: [url], isWell: true };
  };
