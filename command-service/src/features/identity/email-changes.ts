import { LinkNotValid } from '@tallyhand/contracts/features/identity/identity.refusals';
import { isRefusal, type Refusal } from '@tallyhand/contracts/kernel/refusal';
import { derivedId } from '@tallyhand/service-kit/crypto/ids';
import type { Kit } from '../../kit/app.ts';
import { type CommandContext, idFor } from '../../kit/context.ts';
import { accountTokensOf } from './account-tokens.ts';
import { addressChanges, type Changed, type Reservation } from './address-changes.ts';
import { emailStream } from './email.decider.ts';
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
