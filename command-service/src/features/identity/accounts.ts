import type { CurrentUser } from '@tallyhand/contracts/features/identity/identity.endpoints';
import {
  TooManyAttempts,
  WrongPassword,
} from '@tallyhand/contracts/features/identity/identity.refusals';
import type { Refusal } from '@tallyhand/contracts/kernel/refusal';
import type { Role } from '@tallyhand/contracts/kernel/role';
import type { Position } from '@tallyhand/service-kit/event-store/position';
import { accessEnded, lastDayOf } from '@tallyhand/service-kit/http/ended-access';
import type { Caller, Kit } from '../../kit/app.ts';
import { type CommandContext, idFor } from '../../kit/context.ts';
import { mailsEn } from '../../messages/mails-en.ts';
import { emailKeyOf } from './email-addresses.ts';
import { FailedSignIns } from './failed-sign-ins.ts';
import { Passwords } from './passwords.ts';
import type { Registered } from './registration.ts';
import { SignIns } from './sign-ins.ts';
import { userStream } from './user.decider.ts';

type AccountSteps = {
  readonly organizations: { nameOf(organizationId: string, since?: Position): Promise<string> };
  readonly credits: { available(organizationId: string, since?: Position): Promise<number> };
};

/** What an account shows of its person, its password, and the check of it before risky changes. */
export class Accounts {
  readonly #kit: Kit;
  readonly #steps: AccountSteps;
  readonly #users;
  readonly #failures: FailedSignIns;
  readonly #signIns: SignIns;
  readonly #passwords: Passwords;

  constructor(kit: Kit, steps: AccountSteps) {
    this.#kit = kit;
    this.#steps = steps;
    this.#users = kit.streams.of(userStream);
    this.#failures = new FailedSignIns(kit);
    this.#signIns = new SignIns(kit);
    this.#passwords = new Passwords(kit.settings);
  }

  /** The current address; null for an erased person, or one whose registration is unfinished. */
  async emailOf(userId: string): Promise<string | null> {
    const { registered, isErased } = await this.#users.load(userId);
    if (!registered || isErased) return null;
    return this.#kit.personKeys.reveal(userId, registered.email);
  }

  /** The name of a member; null if the person is not, or no longer, one of the organization. */
  async nameOf(userId: string, organizationId: string): Promise<string | null> {
    const { rowCount } = await this.#kit.pool.query(
      `select from operational.access
       where user_id = $1 and organization_id = $2 and is_active`,
      [userId, organizationId],
    );
    if (rowCount === 0) return null;
    const { registered } = await this.#users.known(userId);
    return registered && this.#kit.personKeys.reveal(userId, registered.username);
  }

  /**
   * Null when the person is no longer a member. With `since`, states that this process has kept are
   * enough if they include everything up to that position.
   */
  async currentUser(
    { userId, organizationId }: Registered,
    since?: Position,
  ): Promise<CurrentUser | null> {
    const { personKeys } = this.#kit;
    const access = await this.#accessOf(userId);
    const { registered } = await this.#users.load(userId, since);
    if (!access || !registered) return null;
    const [username, email, name, creditBalance] = await Promise.all([
      personKeys.reveal(userId, registered.username),
      personKeys.reveal(userId, registered.email),
      this.#steps.organizations.nameOf(organizationId, since),
      this.#steps.credits.available(organizationId, since),
    ]);
    const organization = { id: organizationId, name, creditBalance };
    const { role, until } = access;
    const lastDay = until && lastDayOf(until);
    return { id: userId, username, email, role, lastDay, organization };
  }

  /** The refusal of an Auditor whose last day is over; otherwise null. */
  async endedAccess(userId: string): Promise<Refusal | null> {
    const until = (await this.#accessOf(userId))?.until;
    return until && until <= new Date() ? accessEnded(until) : null;
  }

  async #accessOf(userId: string) {
    const { rows } = await this.#kit.pool.query<{ role: Role; until: Date | null }>(
      `select role, access_until as until from operational.access
       where user_id = $1 and is_active`,
      [userId],
    );
    return rows[0];
  }

  /** Ends the other sign-ins, and notifies the person by mail. */
  async setPassword(
    context: CommandContext,
    { userId, organizationId }: Registered,
    password: string,
    reason: 'by-person' | 'by-reset',
  ): Promise<void> {
    await this.#kit.vault.keepPasswordHash(userId, await this.#passwords.hash(password));
    const data = { userId, organizationId, reason };
    await this.#users.send(userId, { type: 'RecordPasswordChange', data }, context);
    await this.#signIns.end(
      context,
      { userId, organizationId },
      reason === 'by-reset' ? 'password-reset' : 'password-changed',
      context.actor.signInId ? { except: context.actor.signInId } : {},
    );
    const to = await this.emailOf(userId);
    if (!to) return;
    await this.#kit.mail.send({
      id: idFor(context, 'password-mail'),
      organizationId,
      kind: 'account',
      to,
      recipientId: userId,
      text: mailsEn.passwordChanged(),
    });
  }

  /** Limits guesses at an unattended browser as at any other place. */
  async guarded(
    { userId, signInId }: Caller,
    check: () => Promise<Refusal | null>,
  ): Promise<Refusal | null> {
    const accountKey = emailKeyOf(this.#kit.box, (await this.emailOf(userId)) ?? '');
    const from = { known: signInId };
    const tried = await this.#failures.attempt(accountKey, from);
    if ('seconds' in tried) return TooManyAttempts({ retryAfterSeconds: tried.seconds });
    const refused = await check();
    if (!refused) await this.#failures.forget(accountKey, from);
    return refused;
  }

  /** `field` is the body's field with the password. Call it within `guarded` only. */
  async refuseWrongPassword(
    userId: string,
    password: string,
    field: string,
  ): Promise<Refusal | null> {
    const hash = await this.#kit.vault.passwordHash(userId);
    if (await this.#passwords.isRight(hash, password)) return null;
    return WrongPassword({}, [{ path: field, message: 'Incorrect password' }]);
  }
}
