import type { CurrentUser } from '@tallyhand/contracts/features/identity/identity.endpoints';
import {
  TooManyAttempts,
  WrongPassword,
} from '@tallyhand/contracts/features/identity/identity.refusals';
import type { Refusal } from '@tallyhand/contracts/kernel/refusal';
import type { Role } from '@tallyhand/contracts/kernel/role';
import type { Caller, Kit } from '../../kit/app.ts';
import { type CommandContext, idFor } from '../../kit/context.ts';
import { mailsEn } from '../../messages/mails-en.ts';
import { failedSignInsOf } from './failed-sign-ins.ts';
import { passwordsOf } from './passwords.ts';
import type { Registered, Registration } from './registration.ts';
import { signInsOf } from './sign-ins.ts';
import { userStream } from './user.decider.ts';

export type AccountSteps = {
  readonly registration: Pick<Registration, 'emailKey'>;
  readonly organizationName: (organizationId: string) => Promise<string>;
  readonly creditBalance: (organizationId: string) => Promise<number>;
};

/** What there is of a person: as their pages show it, and the proof that it is they who ask. */
export function accountsOf(kit: Kit, steps: AccountSteps) {
  const users = kit.streams.of(userStream);
  const failures = failedSignInsOf(kit);
  const signIns = signInsOf(kit);
  const passwords = passwordsOf(kit);

  /** Their present address; null for who was erased or never finished to register. */
  async function emailOf(userId: string): Promise<string | null> {
    const { registered, isErased } = await users.load(userId);
    if (!registered || isErased) return null;
    return kit.personKeys.reveal(userId, registered.email);
  }

  return {
    emailOf,
    /** Null when the person is no longer a member. */
    async currentUser({ userId, organizationId }: Registered): Promise<CurrentUser | null> {
      const { rows } = await kit.pool.query<{ role: Role }>(
        'select role from operational.access where user_id = $1 and is_active',
        [userId],
      );
      const { registered } = await users.load(userId);
      if (!rows[0] || !registered) return null;
      const [username, email, name, creditBalance] = await Promise.all([
        kit.personKeys.reveal(userId, registered.username),
        kit.personKeys.reveal(userId, registered.email),
        steps.organizationName(organizationId),
        steps.creditBalance(organizationId),
      ]);
      const organization = { id: organizationId, name, creditBalance };
      return { id: userId, username, email, role: rows[0].role, organization };
    },
    /** Ends the other sign-ins, and tells the person. */
    async setPassword(
      context: CommandContext,
      { userId, organizationId }: Registered,
      password: string,
      reason: 'by-person' | 'by-reset',
    ): Promise<void> {
      await kit.vault.keepPasswordHash(userId, await passwords.hash(password));
      const data = { userId, organizationId, reason };
      await users.send(userId, { type: 'RecordPasswordChange', data }, context);
      await signIns.end(
        context,
        { userId, organizationId },
        reason === 'by-reset' ? 'password-reset' : 'password-changed',
        context.actor.signInId ? { except: context.actor.signInId } : {},
      );
      const to = await emailOf(userId);
      if (!to) return;
      await kit.mail.send({
        id: idFor(context, 'password-mail'),
        organizationId,
        kind: 'account',
        to,
        recipientId: userId,
        text: mailsEn.passwordChanged(),
      });
    },
    /** A person at an unattended browser may guess no more often than a stranger. */
    async guarded(
      { userId, signInId }: Caller,
      check: () => Promise<Refusal | null>,
    ): Promise<Refusal | null> {
      const accountKey = steps.registration.emailKey((await emailOf(userId)) ?? '');
      const from = { known: signInId };
      const tried = await failures.attempt(accountKey, from);
      if ('seconds' in tried) return TooManyAttempts({ retryAfterSeconds: tried.seconds });
      const refused = await check();
      if (!refused) await failures.forget(accountKey, from);
      return refused;
    },
    /** `field`: what it stands in. Only to be asked within `guarded`. */
    async refuseWrongPassword(
      userId: string,
      password: string,
      field: string,
    ): Promise<Refusal | null> {
      if (await passwords.isRight(await kit.vault.passwordHash(userId), password)) return null;
      return WrongPassword({}, [{ path: field, message: 'The password is wrong' }]);
    },
  };
}

export type Accounts = ReturnType<typeof accountsOf>;

/** What members are called; null for who is none of the organization's any more. */
export function personNames({ pool, personKeys, streams }: Kit) {
  const users = streams.of(userStream);
  return async (userId: string, organizationId: string): Promise<string | null> => {
    const { rowCount } = await pool.query(
      `select from operational.access
       where user_id = $1 and organization_id = $2 and is_active`,
      [userId, organizationId],
    );
    if (rowCount === 0) return null;
    const { registered } = await users.known(userId);
    return registered && personKeys.reveal(userId, registered.username);
  };
}
