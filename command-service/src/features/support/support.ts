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
import { contactStream } from './contact.decider.ts';
import { ticketStream } from './ticket.decider.ts';
import { ticketNumberOf } from './ticket-number.ts';

/** Numbers that others have are rare; as many in a row don't happen. */
const ATTEMPTS_MAX = 5;
/** The key of a person without an organization. */
const NOBODYS = '00000000-0000-0000-0000-000000000000';

export type Support = ReturnType<typeof supportOf>;

/** Messages to the operator. The same message twice in a day is one. */
export function supportOf(kit: Kit) {
  const { box, vault, streams } = kit;
  const contacts = streams.of(contactStream);
  const tickets = streams.of(ticketStream);

  const contentKeyOf = ({ now }: CommandContext, caller: Caller | null, input: object) =>
    box.keyedHash(
      'support message',
      canonicalJson([now.toISOString().slice(0, 10), caller?.userId ?? null, input]),
    );

  /** Seals under the sender's own key where they have an account: it goes when they are erased. */
  function sealFor(ownId: string, caller: Caller | null) {
    const personId = caller?.kind === 'member' ? caller.userId : ownId;
    const seal = (text: string) => vault.encrypt(personId, caller?.organizationId ?? NOBODYS, text);
    return { personId, seal, sealIfAny: async (text = '') => (text ? seal(text) : null) };
  }

  return {
    /** Gives the message's id. It is no business of the sender's organization. */
    async receive(
      context: CommandContext,
      caller: Caller | null,
      { name, email, company, message }: ContactInput,
    ): Promise<string> {
      const key = contentKeyOf(context, caller, { name, email, company, message });
      const contactId = derivedId('contact', key);
      // What is known may be erased by now: then nothing can be sealed for it any more.
      if ((await contacts.load(contactId)).received) return contactId;
      const { personId, seal, sealIfAny } = sealFor(contactId, caller);
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
      const command = { type: 'ReceiveContactMessage' as const, data };
      await contacts.send(contactId, command, anonymous);
      return contactId;
    },
    /** Gives the ticket's number. */
    async open(
      context: CommandContext,
      caller: Caller | null,
      { fax: _, ...input }: TicketInput,
    ): Promise<string | Refusal> {
      const contentKey = contentKeyOf(context, caller, input);
      for (let attempt = 0; attempt < ATTEMPTS_MAX; attempt += 1) {
        const ticketNumber = ticketNumberOf(contentKey, attempt);
        const ticketId = derivedId('ticket', ticketNumber);
        const { opened } = await tickets.load(ticketId);
        if (opened?.contentKey === contentKey) return ticketNumber;
        if (opened) continue;
        const { personId, seal, sealIfAny } = sealFor(ticketId, caller);
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
        const answer = await tickets.send(ticketId, { type: 'OpenTicket', data }, context);
        if (!isRefusal(answer)) return ticketNumber;
      }
      return TicketNumberTaken({});
    },
    /** Of who has no account: others are erased with theirs, from the organization's views too. */
    async eraseVisitors(id: string): Promise<'erased' | 'unknown' | 'of-account'> {
      const { received } = await contacts.load(id);
      const { opened } = await tickets.load(id);
      const written = received ?? opened;
      if (!written) return 'unknown';
      if (written.personId !== id || opened?.organizationId) return 'of-account';
      await destroyKeys(kit, [id]);
      return 'erased';
    },
  };
}
