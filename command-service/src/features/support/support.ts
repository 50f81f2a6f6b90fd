import { createHash } from 'node:crypto';
import type {
  ContactInput,
  TicketInput,
} from '@tallyhand/contracts/features/support/support.fields';
import { TicketNumberTaken } from '@tallyhand/contracts/features/support/support.refusals';
import { isRefusal, type Refusal } from '@tallyhand/contracts/kernel/refusal';
import { canonicalJson } from '@tallyhand/service-kit/crypto/hash-chain';
import { derivedId } from '@tallyhand/service-kit/crypto/ids';
import type { Caller, Kit } from '../../kit/app.ts';
import type { CommandContext } from '../../kit/context.ts';
import { destroyKeys } from '../../kit/destroy-keys.ts';
import { contactStream, ticketStream } from './support.decider.ts';

/** Collisions of ticket numbers are rare: so many in a row do not happen. */
const ATTEMPTS_MAX = 5;
/** The organization of visitors' keys. */
const NO_ORGANIZATION = '00000000-0000-0000-0000-000000000000';

/** Messages and tickets to the operator. The same text sent twice on one day counts once. */
export class Support {
  readonly #kit: Kit;
  readonly #contacts;
  readonly #tickets;

  constructor(kit: Kit) {
    this.#kit = kit;
    this.#contacts = kit.streams.of(contactStream);
    this.#tickets = kit.streams.of(ticketStream);
  }

  /** Returns the message's id. The event belongs to no organization, not even the sender's. */
  async receive(
    context: CommandContext,
    caller: Caller | null,
    { name, email, company, message }: ContactInput,
  ): Promise<string> {
    const key = this.#contentKey(context, caller, { name, email, company, message });
    const contactId = derivedId('contact', key);
    // The sender of a known message may have been erased: their key can't seal anything again.
    if ((await this.#contacts.load(contactId)).received) return contactId;
    const { personId, seal, sealIfAny } = this.#sealFor(contactId, caller);
    const data = {
      contactId,
      personId,
      name: await seal(name),
      email: await seal(email),
      company: await sealIfAny(company),
      message: await seal(message),
    };
    const { sourceAddress: _, ...rest } = context;
    const anonymous = { ...rest, organizationId: null, actor: { kind: 'visitor' as const } };
    await this.#contacts.send(contactId, { type: 'ReceiveContactMessage', data }, anonymous);
    return contactId;
  }

  /** Returns the ticket's number. */
  async open(
    context: CommandContext,
    caller: Caller | null,
    { fax: _, ...input }: TicketInput,
  ): Promise<string | Refusal> {
    const contentKey = this.#contentKey(context, caller, input);
    for (let attempt = 0; attempt < ATTEMPTS_MAX; attempt += 1) {
      const ticketNumber = ticketNumberOf(contentKey, attempt);
      const ticketId = derivedId('ticket', ticketNumber);
      const { opened } = await this.#tickets.load(ticketId);
      if (opened?.contentKey === contentKey) return ticketNumber;
      if (opened) continue;
      const { personId, seal, sealIfAny } = this.#sealFor(ticketId, caller);
      const data = {
        ticketId,
        ticketNumber,
        personId,
        contentKey,
        organizationId: caller?.organizationId ?? null,
        name: await seal(input.name),
        email: await seal(input.email),
        company: await sealIfAny(input.company),
        subject: await seal(input.subject),
        message: await seal(input.message),
        priority: input.priority,
        category: input.category,
      };
      const answer = await this.#tickets.send(ticketId, { type: 'OpenTicket', data }, context);
      if (!isRefusal(answer)) return ticketNumber;
    }
    return TicketNumberTaken({});
  }

  /**
   * Erases the sender of a message or ticket who has no account. Members are erased with their
   * account, which also removes them from the organization's views.
   */
  async eraseVisitors(id: string): Promise<'erased' | 'unknown' | 'of-account'> {
    const { received } = await this.#contacts.load(id);
    const { opened } = await this.#tickets.load(id);
    const written = received ?? opened;
    if (!written) return 'unknown';
    if (written.personId !== id || opened?.organizationId) return 'of-account';
    await destroyKeys(this.#kit, [id]);
    return 'erased';
  }

  #contentKey({ now }: CommandContext, caller: Caller | null, input: object): string {
    const day = now.toISOString().slice(0, 10);
    const content = canonicalJson([day, caller?.userId ?? null, input]);
    return this.#kit.box.keyedHash('support message', content);
  }

  /** Seals under the key of the sender's account, if any: it is erased with the account. */
  #sealFor(ownId: string, caller: Caller | null) {
    const personId = caller?.kind === 'member' ? caller.userId : ownId;
    const organizationId = caller?.organizationId ?? NO_ORGANIZATION;
    const seal = (text: string) => this.#kit.vault.encrypt(personId, organizationId, text);
    return { personId, seal, sealIfAny: async (text = '') => (text ? seal(text) : null) };
  }
}

/** Without I, L, O and U, which are easily misread or misheard. */
const LETTERS = '0123456789ABCDEFGHJKMNPQRSTVWXYZ';
const LENGTH = 6;

/**
 * A number such as TH-7F3K2Q, of a thousand million. The same key and attempt give the same number;
 * without the key it can't be guessed.
 */
export function ticketNumberOf(contentKey: string, attempt: number): string {
  const bytes = createHash('sha256').update(`${contentKey} ${attempt}`).digest();
  const letters = [...bytes.subarray(0, LENGTH)].map((byte) => LETTERS[byte % LETTERS.length]);
  return `TH-${letters.join('')}`;
}
