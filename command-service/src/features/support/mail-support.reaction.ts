import { derivedId } from '@tallyhand/service-kit/crypto/ids';
import type { StoredEvent } from '@tallyhand/service-kit/event-store/event-log';
import type { Kit } from '../../kit/app.ts';
import { type Reaction, reaction } from '../../kit/reactions.ts';
import { letterOf } from './letters.ts';

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
