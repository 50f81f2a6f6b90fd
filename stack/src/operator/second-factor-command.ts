import type { OpenedKit } from '@tallyhand/command-service/app/open-kit';
import { secondFactorsOf } from '@tallyhand/command-service/features/identity/second-factors';
import { newId } from '@tallyhand/service-kit/crypto/ids';
import { OperatorError } from './operator-error.ts';

export const SECOND_FACTOR_USAGE = `Turns a member's second factor off, while the product runs:
  npm run second-factor -- --remove EMAIL
      for a member who lost the authenticator and the recovery codes; verify who is asking. The
      password is still required, and the organization's audit log records it`;

/** No page offers this: a stolen sign-in must not remove the protection. */
export async function runSecondFactorCommand(
  [what, email, ...more]: readonly string[],
  { kit, features }: Pick<OpenedKit, 'kit' | 'features'>,
): Promise<{ readonly lines: readonly string[]; readonly isWell: boolean }> {
  if (what !== '--remove' || !email || more.length > 0) {
    throw new OperatorError(SECOND_FACTOR_USAGE);
  }
  const { registration, accounts } = features;
  const account = await registration.find(registration.emailKey(email));
  if (!account || !(await accounts.currentUser(account))) {
    throw new OperatorError('There is no account with this email address.');
  }
  const factors = secondFactorsOf(kit);
  if (!(await factors.isOn(account.userId))) {
    throw new OperatorError('The second factor of this account is not on.');
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
  return { lines: ['The second factor is off.'], isWell: true };
}
