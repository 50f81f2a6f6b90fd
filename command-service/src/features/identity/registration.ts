import { EmailReserved } from '@tallyhand/contracts/features/identity/identity.events';
import { EmailTaken } from '@tallyhand/contracts/features/identity/identity.refusals';
import { isRefusal, type Refusal } from '@tallyhand/contracts/kernel/refusal';
import type { Role } from '@tallyhand/contracts/kernel/role';
import { derivedId } from '@tallyhand/service-kit/crypto/ids';
import type { Kit } from '../../kit/app.ts';
import { type CommandContext, idFor } from '../../kit/context.ts';
import { type Reaction, reaction, reactionContext } from '../../kit/reactions.ts';
import type { Reservation } from './email.decider.ts';
import { EmailAddresses, emailKeyOf } from './email-addresses.ts';
import { Passwords } from './passwords.ts';
import { userStream } from './user.decider.ts';

export type RegistrationInput = {
  readonly email: string;
  readonly username: string;
  readonly password: string;
  readonly organizationName?: string | undefined;
  readonly invite?: string | undefined;
};

type Joining = {
  readonly invitationId: string;
  readonly organizationId: string;
  readonly role: Role;
  /** Of an Auditor. */
  readonly lastDay: string | null;
};

/** The parts of other features; each call may be repeated. */
type RegistrationSteps = {
  readonly organizations: {
    register(context: CommandContext, id: string, name: string): Promise<void>;
    addMember(
      context: CommandContext,
      member: {
        organizationId: string;
        userId: string;
        role: Role;
        lastDay: string | null;
        invitationId: string | null;
      },
    ): Promise<void>;
  };
  readonly credits: {
    grantSignUpCredits(context: CommandContext, organizationId: string): Promise<void>;
    hasSignUpCredits(organizationId: string): Promise<boolean>;
  };
  readonly invitations: {
    open(token: string, now: Date, emailKey: string): Promise<Joining | Refusal>;
    accept(
      context: CommandContext,
      acceptance: { invitationId: string; userId: string; emailKey: string },
    ): Promise<Joining | Refusal>;
  };
};

export type Registered = { readonly userId: string; readonly organizationId: string };

/**
 * Creates a person, and their organization unless they were invited. The reservation of the
 * address comes first and contains all ids, so that any later call can finish an unfinished one.
 */
export class Registration {
  readonly #kit: Kit;
  readonly #steps: RegistrationSteps;
  readonly #addresses: EmailAddresses;
  readonly #users;
  readonly #passwords: Passwords;

  constructor(kit: Kit, steps: RegistrationSteps) {
    this.#kit = kit;
    this.#steps = steps;
    this.#addresses = new EmailAddresses(kit);
    this.#users = kit.streams.of(userStream);
    this.#passwords = new Passwords(kit.settings);
  }

  emailKey(email: string): string {
    return emailKeyOf(this.#kit.box, email);
  }

  /** The organization of the account that an address belongs to, or null. */
  async organizationOf(emailKey: string): Promise<string | null> {
    return (await this.#addresses.reservationOf(emailKey))?.organizationId ?? null;
  }

  /** The account behind an address, or null. */
  async find(emailKey: string): Promise<Registered | null> {
    const reservation = await this.#addresses.reservationOf(emailKey);
    if (!reservation) return null;
    const { registered } = await this.#users.load(reservation.userId);
    if (!registered) return reservation;
    // A previous address stays reserved for a while, but its owner can't sign in with it.
    const email = await this.#kit.personKeys.reveal(reservation.userId, registered.email);
    return this.emailKey(email) === emailKey ? reservation : null;
  }

  async register(context: CommandContext, input: RegistrationInput): Promise<Registered | Refusal> {
    const { vault } = this.#kit;
    const emailKey = this.emailKey(input.email);
    const invited = input.invite
      ? await this.#steps.invitations.open(input.invite, context.now, emailKey)
      : null;
    if (isRefusal(invited)) return invited;
    const reserved = await this.#addresses.reservationOf(emailKey);
    if (reserved) return this.#resume(context, reserved, input.password);
    const userId = idFor(context, 'user');
    const organizationId = invited?.organizationId ?? idFor(context, 'organization');
    const seal = (text: string) => vault.encrypt(userId, organizationId, text);
    await vault.keepPasswordHash(userId, await this.#passwords.hash(input.password));
    const reservation: Reservation = {
      emailKey,
      userId,
      organizationId,
      invitationId: invited?.invitationId ?? null,
      organizationName: invited ? null : (input.organizationName ?? ''),
      username: await seal(input.username),
      email: await seal(input.email),
      purpose: 'registration',
      changeId: null,
    };
    const own: CommandContext = {
      ...context,
      organizationId,
      actor: { kind: 'member', id: userId },
    };
    const refused = await this.#addresses.reserve(own, reservation);
    return refused ?? (await this.#finish(context, reservation)) ?? { userId, organizationId };
  }

  async #finish(context: CommandContext, reserved: Reservation): Promise<Refusal | null> {
    const { userId, organizationId, invitationId, organizationName, emailKey } = reserved;
    const own: CommandContext = {
      ...context,
      organizationId,
      actor: context.actor.kind === 'visitor' ? { kind: 'member', id: userId } : context.actor,
    };
    let role: Role = 'Admin';
    let lastDay: string | null = null;
    if (invitationId) {
      const acceptance = { invitationId, userId, emailKey };
      const accepted = await this.#steps.invitations.accept(own, acceptance);
      if (isRefusal(accepted)) {
        await this.#addresses.free(own, emailKey, userId);
        return accepted;
      }
      role = accepted.role;
      lastDay = accepted.lastDay;
    } else {
      await this.#steps.organizations.register(own, organizationId, organizationName ?? '');
    }
    const { username, email } = reserved;
    const data = { userId, organizationId, username, email, invitationId };
    await this.#users.send(userId, { type: 'RegisterUser', data }, own);
    const member = { organizationId, userId, role, lastDay, invitationId };
    await this.#steps.organizations.addMember(own, member);
    if (!invitationId) await this.#steps.credits.grantSignUpCredits(own, organizationId);
    return null;
  }

  /** Finishes a registration unless its last step is done: most are long since finished. */
  async finishIfOpen(context: CommandContext, reserved: Reservation): Promise<void> {
    const { userId, organizationId, invitationId } = reserved;
    const isFinished =
      (await this.#isMember(userId)) === true &&
      (invitationId !== null || (await this.#steps.credits.hasSignUpCredits(organizationId)));
    if (!isFinished) await this.#finish(context, reserved);
  }

  /** Finishes the caller's own attempt, which was interrupted before its answer. */
  async #resume(
    context: CommandContext,
    reservation: Reservation,
    password: string,
  ): Promise<Registered | Refusal> {
    const { userId, organizationId } = reservation;
    if ((await this.#isMember(userId)) !== undefined) return EmailTaken({});
    const refused = await this.#finish(context, reservation);
    if (refused) return refused;
    const hash = await this.#kit.vault.passwordHash(userId);
    const isRight = await this.#passwords.isRight(hash, password);
    return isRight ? { userId, organizationId } : EmailTaken({});
  }

  /** Undefined before the person was added; false after they left. */
  async #isMember(userId: string): Promise<boolean | undefined> {
    const { rows } = await this.#kit.pool.query<{ is_active: boolean }>(
      'select is_active from operational.access where user_id = $1',
      [userId],
    );
    return rows[0]?.is_active;
  }
}

/** Finishes registrations that were interrupted after their address was reserved. */
export const finishRegistrations = (registration: Registration): Reaction =>
  reaction('finish-registrations', {
    EmailReserved: async (event) => {
      const reserved = EmailReserved.read(event.data, event.envelope.schemaVersion);
      if (reserved.purpose !== 'registration') return;
      const context = reactionContext(event, derivedId(event.id, 'finish-registration'));
      // The person remains the actor, whichever process finishes it.
      await registration.finishIfOpen({ ...context, actor: event.envelope.actor }, reserved);
    },
  });
