import {
  EmailChanged,
  EmailReserved,
} from '@tallyhand/contracts/features/identity/identity.events';
import { LinkNotValid } from '@tallyhand/contracts/features/identity/identity.refusals';
import { isRefusal, type Refusal } from '@tallyhand/contracts/kernel/refusal';
import { derivedId } from '@tallyhand/service-kit/crypto/ids';
import { ERASED } from '@tallyhand/service-kit/crypto/person-keys';
import type { Kit } from '../../kit/app.ts';
import { type CommandContext, idFor } from '../../kit/context.ts';
import { type Reaction, reaction, reactionContext } from '../../kit/reactions.ts';
import { mailsEn } from '../../messages/mails-en.ts';
import { accountTokensOf } from './account-tokens.ts';
import { emailStream } from './email.decider.ts';
import { heldAddressesOf } from './held-addresses.ts';
import { normalizedEmail } from './registration.ts';
import { type SignedIn, signInsOf } from './sign-ins.ts';
import { userStream } from './user.decider.ts';

/**
 * Another address of a person: reserved first, then theirs, at once. The one before stays reserved
 * for as long as its owner may take the change back. Every step may be repeated.
 */
export function emailChangesOf(kit: Kit) {
  const { vault, box } = kit;
  const emails = kit.streams.of(emailStream);
  const users = kit.streams.of(userStream);
  const { presentOf, append, follow } = addressChanges(kit);

  /** Goes on with a change whose address is reserved. */
  async function finish(context: CommandContext, reserved: Reservation): Promise<void> {
    const { userId, emailKey, changeId } = reserved;
    if (changeId === null) return;
    const { registered, isErased } = await users.load(userId);
    if (!registered || isErased) {
      await emails.send(emailKey, { type: 'ReleaseEmail', data: { userId } }, context);
    } else {
      await append(context, reserved, { changeId, isUndo: false });
    }
  }

  return {
    follow,
    finish,
    /** Whether it can still be taken back: what follows from it may be repeated until then. */
    async isOpen({ userId, changeId }: Changed): Promise<boolean> {
      const { isErased, emailChanges } = await users.load(userId);
      return !isErased && !emailChanges.has(undoIdOf(changeId));
    },
    async change(
      context: CommandContext,
      { userId, organizationId }: SignedIn,
      email: string,
    ): Promise<Refusal | null> {
      const present = await presentOf(userId);
      if (!present) return null;
      const reservation: Reservation = {
        userId,
        organizationId,
        emailKey: box.keyedHash('email', normalizedEmail(email)),
        invitationId: null,
        organizationName: null,
        username: present.username,
        email: await vault.encrypt(userId, organizationId, email),
        purpose: 'change',
        changeId: idFor(context, 'email-change'),
      };
      // Written another way it is the same address, and theirs.
      const { emailKey } = reservation;
      const reserved = await emails.send(
        emailKey,
        { type: 'ReserveEmail', data: reservation },
        context,
      );
      if (isRefusal(reserved)) return reserved;
      await finish(context, reservation);
      return null;
    },
    undo: undoOf(kit),
  };
}

/** By the link that went to the address before: it counts again, and all sign-ins end. */
function undoOf(kit: Kit) {
  const emails = kit.streams.of(emailStream);
  const users = kit.streams.of(userStream);
  const tokens = accountTokensOf(kit);
  const signIns = signInsOf(kit);
  const { append } = addressChanges(kit);
  return async (context: CommandContext, token: string): Promise<Refusal | null> => {
    const found = await tokens.find('undo-email', token);
    if (!found?.changeId) return LinkNotValid({});
    const { userId, organizationId, changeId } = found;
    const { emailChanges, registered, isErased } = await users.load(userId);
    const change = emailChanges.get(changeId);
    if (!change || !registered || isErased) return LinkNotValid({});
    const own: CommandContext = {
      ...context,
      organizationId,
      actor: { kind: 'member', id: userId },
    };
    const back = { userId, organizationId, ...backTo(change) };
    const reserved = await emails.send(
      back.emailKey,
      {
        type: 'ReserveEmail',
        data: {
          ...back,
          invitationId: null,
          organizationName: null,
          username: registered.username,
          purpose: 'reclaim',
          changeId: null,
        },
      },
      own,
    );
    if (isRefusal(reserved)) return reserved;
    await append(own, back, { changeId: undoIdOf(changeId), isUndo: true });
    await signIns.end(own, { userId, organizationId }, 'email-undone');
    await tokens.endSince(token);
    await tokens.endAll('reset', userId);
    return null;
  };
}

const undoIdOf = (changeId: string) => derivedId(changeId, 'undo');

const backTo = ({ previousEmail, previousEmailKey }: Changed) => ({
  email: previousEmail,
  emailKey: previousEmailKey,
});

export type EmailChanges = ReturnType<typeof emailChangesOf>;

/** A change of address that was cut off goes on here; the one before is told in any case. */
export const finishEmailChanges = (changes: EmailChanges): Reaction =>
  reaction('finish-email-changes', {
    EmailReserved: async (event) => {
      const reserved = EmailReserved.read(event.data, event.envelope.schemaVersion);
      if (reserved.purpose !== 'change') return;
      const context = reactionContext(event, derivedId(event.id, 'finish-email-change'));
      await changes.finish({ ...context, actor: event.envelope.actor }, reserved);
    },
    EmailChanged: async (event) => {
      const change = EmailChanged.read(event.data, event.envelope.schemaVersion);
      const context = reactionContext(event, derivedId(event.id, 'follow-email-change'));
      const now = new Date(event.envelope.recordedAt);
      if (await changes.isOpen(change)) await changes.follow({ ...context, now }, change);
    },
  });

const UNDO_DAYS = 7;
const DAY_MS = 86_400_000;

export type Changed = Parameters<typeof EmailChanged>[0];
export type Reservation = Parameters<typeof EmailReserved>[0];

/** Gives people another address, and does what follows from it. Every step may be repeated. */
export function addressChanges(kit: Kit) {
  const { personKeys, box, settings } = kit;
  const emails = kit.streams.of(emailStream);
  const users = kit.streams.of(userStream);
  const tokens = accountTokensOf(kit);
  const held = heldAddressesOf(kit);

  /** The address that counts now. */
  async function presentOf(userId: string) {
    const { registered } = await users.load(userId);
    if (!registered) return null;
    const email = await personKeys.reveal(userId, registered.email);
    return email === ERASED
      ? null
      : { ...registered, emailKey: box.keyedHash('email', normalizedEmail(email)) };
  }

  async function append(
    context: CommandContext,
    to: Pick<Reservation, 'userId' | 'organizationId' | 'email' | 'emailKey'>,
    change: Pick<Changed, 'changeId' | 'isUndo'>,
  ): Promise<void> {
    const present = await presentOf(to.userId);
    if (!present || (change.isUndo && present.emailKey === to.emailKey)) return;
    const { userId, organizationId, email, emailKey } = to;
    const data: Changed = {
      userId,
      organizationId,
      email,
      emailKey,
      ...change,
      previousEmail: present.email,
      previousEmailKey: present.emailKey,
    };
    const own = { ...context, organizationId };
    await users.send(userId, { type: 'ChangeEmail', data }, own);
    const made = (await users.load(userId)).emailChanges.get(change.changeId);
    if (made) await follow(own, made);
  }

  /** What comes of a change: the address before is told and held; after an undo it is free. */
  async function follow(context: CommandContext, change: Changed): Promise<void> {
    const { userId, organizationId, changeId, isUndo } = change;
    if (change.previousEmailKey === change.emailKey) return;
    if (isUndo) {
      await emails.send(
        change.previousEmailKey,
        { type: 'ReleaseEmail', data: { userId } },
        context,
      );
      return;
    }
    const expiresAt = new Date(context.now.getTime() + UNDO_DAYS * DAY_MS);
    if (expiresAt < new Date()) return;
    await held.hold(change.previousEmailKey, { userId, organizationId, until: expiresAt });
    const to = await personKeys.reveal(userId, change.previousEmail);
    if (to === ERASED) return;
    // The same change always gives the same link, which is kept nowhere.
    const token = box.keyedHash('undo-email', changeId);
    await tokens.keep('undo-email', token, { userId, organizationId, changeId, expiresAt });
    await kit.mail.send({
      id: derivedId(changeId, 'undo-mail'),
      organizationId,
      kind: 'email-undo',
      to,
      recipientId: userId,
      aboutId: changeId,
      text: mailsEn.emailChanged({
        url: `${settings.publicUrl}/auth?undo=${token}`,
        days: UNDO_DAYS,
      }),
    });
  }

  return { presentOf, append, follow };
}
