import { EmailReserved } from '@tallyhand/contracts/features/identity/identity.events';
import { EmailTaken } from '@tallyhand/contracts/features/identity/identity.refusals';
import { isRefusal, type Refusal } from '@tallyhand/contracts/kernel/refusal';
import type { Role } from '@tallyhand/contracts/kernel/role';
import { derivedId } from '@tallyhand/service-kit/crypto/ids';
import type { Kit } from '../../kit/app.ts';
import { type CommandContext, idFor } from '../../kit/context.ts';
import { type Reaction, reaction, reactionContext } from '../../kit/reactions.ts';
import { emailStream, type Reservation } from './email.decider.ts';
import { passwordsOf } from './passwords.ts';
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
};

/** What registration needs of other features; each step may be repeated. */
export type RegistrationSteps = {
  readonly registerOrganization: (c: CommandContext, id: string, name: string) => Promise<void>;
  readonly addMember: (
    context: CommandContext,
    member: {
      organizationId: string;
      userId: string;
      role: Role;
      invitationId: string | null;
    },
  ) => Promise<void>;
  readonly grantSignUpCredits: (c: CommandContext, organizationId: string) => Promise<void>;
  readonly checkInvitation: (t: string, emailKey: string, now: Date) => Promise<Joining | Refusal>;
  readonly acceptInvitation: (
    context: CommandContext,
    acceptance: { invitationId: string; userId: string; emailKey: string },
  ) => Promise<Joining | Refusal>;
};

export type Registered = { readonly userId: string; readonly organizationId: string };

export const normalizedEmail = (email: string) => email.normalize('NFC').trim().toLowerCase();

/**
 * Creates a person, and their organization unless they were invited. The reservation of the
 * address comes first and carries all ids: a later call can finish an unfinished one.
 */
export function registrationOf(kit: Kit, steps: RegistrationSteps) {
  const emails = kit.streams.of(emailStream);
  const users = kit.streams.of(userStream);
  const passwords = passwordsOf(kit);
  const keyOf = (email: string) => kit.box.keyedHash('email', normalizedEmail(email));

  async function finish(context: CommandContext, reserved: Reservation): Promise<Refusal | null> {
    const { userId, organizationId, invitationId, organizationName, emailKey } = reserved;
    const own: CommandContext = {
      ...context,
      organizationId,
      actor: context.actor.kind === 'visitor' ? { kind: 'member', id: userId } : context.actor,
    };
    let role: Role = 'Admin';
    if (invitationId) {
      const accepted = await steps.acceptInvitation(own, { invitationId, userId, emailKey });
      if (isRefusal(accepted)) {
        await emails.send(emailKey, { type: 'ReleaseEmail', data: { userId } }, own);
        return accepted;
      }
      role = accepted.role;
    } else {
      await steps.registerOrganization(own, organizationId, organizationName ?? '');
    }
    const { username, email } = reserved;
    const data = { userId, organizationId, username, email, invitationId };
    await users.send(userId, { type: 'RegisterUser', data }, own);
    await steps.addMember(own, { organizationId, userId, role, invitationId });
    if (!invitationId) await steps.grantSignUpCredits(own, organizationId);
    return null;
  }

  /** The caller's own attempt, cut off before it was answered, is theirs to go on with. */
  async function resume(
    context: CommandContext,
    emailKey: string,
    password: string,
  ): Promise<Registered | Refusal> {
    const { reservation } = await emails.load(emailKey);
    if (!reservation) return EmailTaken({});
    const { userId, organizationId } = reservation;
    if (await hasAccess(userId)) return EmailTaken({});
    const refused = await finish(context, reservation);
    if (refused) return refused;
    const right = await passwords.isRight(await kit.vault.passwordHash(userId), password);
    return right ? { userId, organizationId } : EmailTaken({});
  }

  async function hasAccess(userId: string) {
    const { rowCount } = await kit.pool.query(
      'select 1 from operational.access where user_id = $1',
      [userId],
    );
    return Boolean(rowCount);
  }

  return {
    emailKey: keyOf,
    /** The organization of the account that an address belongs to, or null. */
    organizationOf: async (emailKey: string) =>
      (await emails.load(emailKey)).reservation?.organizationId ?? null,
    finish,
    /** The account behind an address, or null. */
    async find(emailKey: string): Promise<Registered | null> {
      const { reservation } = await emails.load(emailKey);
      if (!reservation) return null;
      const { registered } = await users.load(reservation.userId);
      // An address that was given up stays theirs for a while, but is no longer signed in with.
      const isPresent =
        !registered ||
        keyOf(await kit.personKeys.reveal(reservation.userId, registered.email)) === emailKey;
      return isPresent ? reservation : null;
    },
    async register(
      context: CommandContext,
      input: RegistrationInput,
    ): Promise<Registered | Refusal> {
      const emailKey = keyOf(input.email);
      const invited = input.invite
        ? await steps.checkInvitation(input.invite, emailKey, context.now)
        : null;
      if (isRefusal(invited)) return invited;
      if ((await emails.load(emailKey)).reservation) {
        return resume(context, emailKey, input.password);
      }
      const userId = idFor(context, 'user');
      const organizationId = invited?.organizationId ?? idFor(context, 'organization');
      const seal = (text: string) => kit.vault.encrypt(userId, organizationId, text);
      await kit.vault.keepPasswordHash(userId, await passwords.hash(input.password));
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
      const reserved = await emails.send(
        emailKey,
        { type: 'ReserveEmail', data: reservation },
        { ...context, organizationId, actor: { kind: 'member', id: userId } },
      );
      if (isRefusal(reserved)) return reserved;
      return (await finish(context, reservation)) ?? { userId, organizationId };
    },
  };
}

export type Registration = ReturnType<typeof registrationOf>;

/** A registration that was cut off after its address was reserved goes on here. */
export const finishRegistrations = (registration: Registration): Reaction =>
  reaction('finish-registrations', {
    EmailReserved: async (event) => {
      const reserved = EmailReserved.read(event.data, event.envelope.schemaVersion);
      if (reserved.purpose !== 'registration') return;
      const context = reactionContext(event, derivedId(event.id, 'finish-registration'));
      // The person remains the actor, whichever process finishes it.
      await registration.finish({ ...context, actor: event.envelope.actor }, reserved);
    },
  });
