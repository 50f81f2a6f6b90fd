import { contactEvents, ticketEvents } from '@tallyhand/contracts/features/support/support.events';
import type { Ciphertext } from '@tallyhand/contracts/kernel/ids';
import { derivedId } from '@tallyhand/service-kit/crypto/ids';
import type { PersonKeys } from '@tallyhand/service-kit/crypto/person-keys';
import type { StoredEvent } from '@tallyhand/service-kit/event-store/event-log';
import type { Kit } from '../../kit/app.ts';
import type { MailText } from '../../kit/mail/compose.ts';
import { type Reaction, reaction } from '../../kit/reactions.ts';
import { mailsEn } from '../../messages/mails-en.ts';

/** Mails each message and each ticket once to the support address, if configured. */
export function mailSupport({ settings, personKeys, mail }: Kit): Reaction {
  const { supportEmail: to } = settings;
  if (!to || !mail.isSet) return reaction('mail-support', {});
  const follow = async (event: StoredEvent) => {
    const letter = await letterOf(personKeys, event);
    if (!letter) return;
    const { id, personId, organizationId, text } = letter;
    await mail.send({
      id: derivedId(id, 'mail'),
      organizationId,
      kind: 'support',
      to,
      recipientId: null,
      aboutId: personId,
      text,
    });
  };
  return reaction('mail-support', { ContactMessageReceived: follow, TicketOpened: follow });
}

/** A message or ticket, as the support team reads it. */
export type Letter = {
  readonly id: string;
  /** It is erased with this person. */
  readonly personId: string;
  readonly organizationId: string | null;
  readonly text: MailText;
};

type Sealed = {
  readonly personId: string;
  readonly name: Ciphertext;
  readonly email: Ciphertext;
  readonly company: Ciphertext | null;
  readonly message: Ciphertext;
};

const { ContactMessageReceived } = contactEvents;
const { TicketOpened } = ticketEvents;

/** Null for other events. */
export async function letterOf(
  { reveal }: PersonKeys,
  { type, data, envelope }: Pick<StoredEvent, 'type' | 'data' | 'envelope'>,
): Promise<Letter | null> {
  const opened = async ({ personId, name, email, company, message }: Sealed) => ({
    name: await reveal(personId, name),
    email: await reveal(personId, email),
    company: company && (await reveal(personId, company)),
    message: await reveal(personId, message),
  });
  if (type === ContactMessageReceived.type) {
    const event = ContactMessageReceived.read(data, envelope.schemaVersion);
    const text = mailsEn.contactMessage(await opened(event));
    return { id: event.contactId, personId: event.personId, organizationId: null, text };
  }
  if (type !== TicketOpened.type) return null;
  const event = TicketOpened.read(data, envelope.schemaVersion);
  const { ticketId: id, ticketNumber, personId, organizationId, priority, category } = event;
  const subject = await reveal(personId, event.subject);
  const said = { ticketNumber, priority, category, subject, ...(await opened(event)) };
  return { id, personId, organizationId, text: mailsEn.supportTicket(said) };
}
