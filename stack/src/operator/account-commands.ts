import type { OpenedKit } from '@tallyhand/command-service/app/open-kit';
import type { AccountLink } from '@tallyhand/command-service/features/identity/account-links';
import { SecondFactors } from '@tallyhand/command-service/features/identity/second-factors';
import { newId } from '@tallyhand/service-kit/crypto/ids';
import { OperatorError, type Outcome } from './command.ts';

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

/** The only way to a link without a mail server; no page offers it. */
export const accountLinkCommand =
  (link: AccountLink) =>
  async (
    [email, ...more]: readonly string[],
    { features }: Pick<OpenedKit, 'features'>,
  ): Promise<Outcome> => {
    if (!email || more.length > 0) throw new OperatorError(ACCOUNT_LINK_USAGE[link]);
    const url = await features.accountLinks.linkOf(link, email);
    if (!url) throw new OperatorError('There is no account with this email address.');
    return { lines: [url], isWell: true };
  };

export const SECOND_FACTOR_USAGE = `Turns off a member's two-factor authentication, while the product runs:
  npm run second-factor -- --remove EMAIL
      for a member who lost the authenticator and the recovery codes; verify who is asking. The
      password is still required, and the organization's audit log records it`;

/** No page offers this: a stolen sign-in must not remove the protection. */
export async function runSecondFactorCommand(
  [what, email, ...more]: readonly string[],
  { kit, features }: Pick<OpenedKit, 'kit' | 'features'>,
): Promise<Outcome> {
  if (what !== '--remove' || !email || more.length > 0) {
    throw new OperatorError(SECOND_FACTOR_USAGE);
  }
  const { registration, accounts } = features;
  const account = await registration.find(registration.emailKey(email));
  if (!account || !(await accounts.currentUser(account))) {
    throw new OperatorError('There is no account with this email address.');
  }
  const factors = new SecondFactors(kit);
  if (!(await factors.isOn(account.userId))) {
    throw new OperatorError('Two-factor authentication is not on for this account.');
  }
  const { userId, organizationId } = account;
  const context = {
    organizationId,
    actor: { kind: 'operator' },
    now: new Date(),
    commandId: newId(),
    correlationId: newId(),
    causationId: null,
  };
  await factors.remove(context, { userId, organizationId });
  return { lines: ['Two-factor authentication is off.'], isWell: true };
}
