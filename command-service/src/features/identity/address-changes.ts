import type {
  EmailChanged,
  EmailReserved,
} from '@tallyhand/contracts/features/identity/identity.events';
import { derivedId } from '@tallyhand/service-kit/crypto/ids';
import { ERASED } from '@tallyhand/service-kit/crypto/person-keys';
import type { Kit } from '../../kit/app.ts';
import type { CommandContext } from '../../kit/context.ts';
import { mailsEn } from '../../messages/mails-en.ts';
import { accountTokensOf } from './account-tokens.ts';
import { emailStream } from './email.decider.ts';
import { heldAddressesOf } from './held-addresses.ts';
import { normalizedEmail } from './registration.ts';
import { userStream } from './user.decider.ts';

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
