import { NotFound } from '@tallyhand/contracts/kernel/problem';
import { isRefusal, type Refusal } from '@tallyhand/contracts/kernel/refusal';
import { ERASED } from '@tallyhand/service-kit/crypto/person-keys';
import type { Kit } from '../../kit/app.ts';
import type { CommandContext } from '../../kit/context.ts';
import { emailStream } from './email.decider.ts';
import { normalizedEmail } from './registration.ts';
import { userStream } from './user.decider.ts';

/** The email address of a person who leaves, and comes back. Every call may be repeated. */
export function addressesOf(kit: Kit) {
  const emails = kit.streams.of(emailStream);
  const users = kit.streams.of(userStream);

  async function accountOf(userId: string) {
    const { registered } = await users.load(userId);
    if (!registered) return null;
    const email = await kit.personKeys.reveal(userId, registered.email);
    // The address of an erased person is unknown.
    if (email === ERASED) return null;
    return { ...registered, emailKey: kit.box.keyedHash('email', normalizedEmail(email)) };
  }

  return {
    async release(context: CommandContext, userId: string): Promise<void> {
      const account = await accountOf(userId);
      if (!account) return;
      await emails.send(account.emailKey, { type: 'ReleaseEmail', data: { userId } }, context);
    },
    async reclaim(context: CommandContext, userId: string): Promise<Refusal | null> {
      const account = await accountOf(userId);
      if (!account) return NotFound({ what: 'member' });
      const { organizationId, username, email, invitationId, emailKey } = account;
      const data = { userId, organizationId, username, email, invitationId, emailKey };
      const reservation = {
        ...data,
        organizationName: null,
        purpose: 'reclaim' as const,
        changeId: null,
      };
      const answer = await emails.send(
        emailKey,
        { type: 'ReserveEmail', data: reservation },
        context,
      );
      return isRefusal(answer) ? answer : null;
    },
  };
}
