import { contactEvents, ticketEvents } from '@tallyhand/contracts/features/support/support.events';
import type { Ciphertext } from '@tallyhand/contracts/kernel/ids';
import { derivedId } from '@tallyhand/service-kit/crypto/ids';
import type { StoredEvent } from '@tallyhand/service-kit/event-store/event-log';
import type { Kit } from '../../kit/app.ts';
import { type Reaction, reaction } from '../../kit/reactions.ts';
import { mailsEn } from '../../words/mails-en.ts';

type Sealed = {
  readonly personId: string;
  readonly name: Ciphertext;
  readonly email: Ciphertext;
  readonly company: Ciphertext | null;
  readonly message: Ciphertext;
};

/** Each message and each ticket is mailed once to whoever answers them, where that is set up. */
export function mailSupport({ settings, personKeys, mail }: Kit): Reaction {
  const { supportEmail: to } = settings;
  if (!to || !mail.isSet) return reaction('mail-support', {});
  const send = (
    id: string,
    organizationId: string | null,
    text: Parameters<typeof mail.send>[0]['text'],
  ) =>
    mail.send({
      id: derivedId(id, 'mail'),
      ...{ organizationId, kind: 'support', to, recipientId: null, aboutId: id, text },
    });
  const reveal = async ({ personId, name, email, company, message }: Sealed) => ({
    name: await personKeys.reveal(personId, name),
    email: await personKeys.reveal(personId, email),
    company: company && (await personKeys.reveal(personId, company)),
    message: await personKeys.reveal(personId, message),
  });
  return reaction('mail-support', {
    ContactMessageReceived: async ({ data, envelope }: StoredEvent) => {
      const event = contactEvents.ContactMessageReceived.read(data, envelope.schemaVersion);
      await send(event.contactId, null, mailsEn.contactMessage(await reveal(event)));
    },
    TicketOpened: async ({ data, envelope }: StoredEvent) => {
      const event = ticketEvents.TicketOpened.read(data, envelope.schemaVersion);
      const { ticketId, ticketNumber, organizationId, priority, category } = event;
      const subject = await personKeys.reveal(event.personId, event.subject);
      const said = { ticketNumber, priority, category, subject, ...(await reveal(event)) };
      await send(ticketId, organizationId, mailsEn.supportTicket(said));
    },
  });
}
