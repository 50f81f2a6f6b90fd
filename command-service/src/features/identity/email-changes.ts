import {
  EmailChanged,
  EmailReserved,
} from '@tallyhand/contracts/features/identity/identity.events';
import { LinkNotValid } from '@tallyhand/contracts/features/identity/identity.refusals';
import type { Refusal } from '@tallyhand/contracts/kernel/refusal';
import { derivedId } from '@tallyhand/service-kit/crypto/ids';
import { ERASED } from '@tallyhand/service-kit/crypto/person-keys';
import type { Kit } from '../../kit/app.ts';
import { type CommandContext, idFor } from '../../kit/context.ts';
import { type Reaction, reaction, reactionContext } from '../../kit/reactions.ts';
import { mailsEn } from '../../messages/mails-en.ts';
import { AccountTokens } from './account-tokens.ts';
import type { Reservation } from './email.decider.ts';
import { EmailAddresses, emailKeyOf } from './email-addresses.ts';
import { type SignedIn, SignIns } from './sign-ins.ts';
import { userStream } from './user.decider.ts';

const UNDO_DAYS = 7;
const DAY_MS = 86_400_000;

type Changed = Parameters<typeof EmailChanged>[0];

/**
 * Changes of email addresses. The new one is reserved first and counts at once. The previous one
 * stays reserved for as long as its owner may undo the change. Every step may be repeated.
 */
export class EmailChanges {
  readonly #kit: Kit;
  readonly #addresses: EmailAddresses;
  readonly #users;
  readonly #tokens: AccountTokens;
  readonly #signIns: SignIns;

  constructor(kit: Kit) {
    this.#kit = kit;
    this.#addresses = new EmailAddresses(kit);
    this.#users = kit.streams.of(userStream);
    this.#tokens = new AccountTokens(kit.pool);
    this.#signIns = new SignIns(kit);
  }

  async change(
    context: CommandContext,
    { userId, organizationId }: SignedIn,
    email: string,
  ): Promise<Refusal | null> {
    const current = await this.#addresses.current(userId);
    if (!current) return null;
    // The current address in another spelling has the same key, and is not refused.
    const reservation: Reservation = {
      userId,
      organizationId,
      emailKey: emailKeyOf(this.#kit.box, email),
      invitationId: null,
      organizationName: null,
      username: current.username,
      email: await this.#kit.vault.encrypt(userId, organizationId, email),
      purpose: 'change',
      changeId: idFor(context, 'email-change'),
    };
    const refused = await this.#addresses.reserve(context, reservation);
    if (refused) return refused;
    await this.finish(context, reservation);
    return null;
  }

  /** Continues a change whose address is reserved. */
  async finish(context: CommandContext, reserved: Reservation): Promise<void> {
    const { userId, emailKey, changeId } = reserved;
    if (changeId === null) return;
    const { registered, isErased } = await this.#users.load(userId);
    if (!registered || isErased) await this.#addresses.free(context, emailKey, userId);
    else await this.#append(context, reserved, { changeId, isUndo: false });
  }

  /** By the link mailed to the previous address: restores it, and ends all sign-ins. */
  async undo(context: CommandContext, token: string): Promise<Refusal | null> {
    const found = await this.#tokens.find('undo-email', token);
    if (!found?.changeId) return LinkNotValid({});
    const { userId, organizationId, changeId } = found;
    const { emailChanges, registered, isErased } = await this.#users.load(userId);
    const change = emailChanges.get(changeId);
    if (!change || !registered || isErased) return LinkNotValid({});
    const own: CommandContext = {
      ...context,
      organizationId,
      actor: { kind: 'member', id: userId },
    };
    const back: Reservation = {
      userId,
      organizationId,
      email: change.previousEmail,
      emailKey: change.previousEmailKey,
      invitationId: null,
      organizationName: null,
      username: registered.username,
      purpose: 'reclaim',
      changeId: null,
    };
    const refused = await this.#addresses.reserve(own, back);
    if (refused) return refused;
    await this.#append(own, back, { changeId: undoIdOf(changeId), isUndo: true });
    await this.#signIns.end(own, { userId, organizationId }, 'email-undone');
    await this.#tokens.endSince(token);
    await this.#tokens.endAll('reset', userId);
    return null;
  }

  /** Whether it can still be undone: until then its consequences may be repeated. */
  async isOpen({ userId, changeId }: Changed): Promise<boolean> {
    const { isErased, emailChanges } = await this.#users.load(userId);
    return !isErased && !emailChanges.has(undoIdOf(changeId));
  }

  async #append(
    context: CommandContext,
    { userId, organizationId, email, emailKey }: Reservation,
    change: Pick<Changed, 'changeId' | 'isUndo'>,
  ): Promise<void> {
    const current = await this.#addresses.current(userId);
    if (!current || (change.isUndo && current.emailKey === emailKey)) return;
    const data: Changed = {
      userId,
      organizationId,
      email,
      emailKey,
      ...change,
      previousEmail: current.email,
      previousEmailKey: current.emailKey,
    };
    const own = { ...context, organizationId };
    await this.#users.send(userId, { type: 'ChangeEmail', data }, own);
    const made = (await this.#users.load(userId)).emailChanges.get(change.changeId);
    if (made) await this.follow(own, made);
  }

  /**
   * The consequences of a change: the previous address stays reserved, and its owner is notified
   * there. An undo frees it.
   */
  async follow(context: CommandContext, change: Changed): Promise<void> {
    const { userId, organizationId, changeId, previousEmailKey } = change;
    const { box, personKeys, settings, mail } = this.#kit;
    if (previousEmailKey === change.emailKey) return;
    if (change.isUndo) return this.#addresses.free(context, previousEmailKey, userId);
    const expiresAt = new Date(context.now.getTime() + UNDO_DAYS * DAY_MS);
    if (expiresAt < new Date()) return;
    await this.#addresses.hold(previousEmailKey, { userId, organizationId, until: expiresAt });
    const to = await personKeys.reveal(userId, change.previousEmail);
    if (to === ERASED) return;
    // Derived, so that a repeat mails the same link although it is stored nowhere.
    const token = box.keyedHash('undo-email', changeId);
    await this.#tokens.keep('undo-email', token, { userId, organizationId, changeId, expiresAt });
    await mail.send({
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
}

const undoIdOf = (changeId: string) => derivedId(changeId, 'undo');

/** Finishes interrupted changes. The previous address is notified in any case. */
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
