import { z } from 'zod';
import { Ciphertext, Id } from '../../kernel/ids.ts';
import { type EventsOf, event } from '../../kernel/messages.ts';

/** On `contact-{id}`. */
export const ContactMessageReceived = event('ContactMessageReceived', {
  contactId: Id,
  /** Whose key the text is under: the signed-in sender's, otherwise one of the message's own. */
  personId: Id,
  name: Ciphertext,
  email: Ciphertext,
  company: Ciphertext.nullable(),
  message: Ciphertext,
});

/** Every event of the stream, by type. */
export const contactEvents = { ContactMessageReceived };
export type ContactEvent = EventsOf<typeof contactEvents>;

/** On `ticket-{id}`. The organization of a sender who was signed in, else none. */
export const TicketOpened = event('TicketOpened', {
  ticketId: Id,
  ticketNumber: z.string(),
  organizationId: Id.nullable(),
  /** As above. */
  personId: Id,
  /** Keyed hash of all that was sent, by which a repeat is known. */
  contentKey: z.string(),
  name: Ciphertext,
  email: Ciphertext,
  company: Ciphertext.nullable(),
  subject: Ciphertext,
  message: Ciphertext,
  // Not the lists of today: what is stored must be readable when they have changed.
  priority: z.string(),
  category: z.string(),
});

/** Every event of the stream, by type. */
export const ticketEvents = { TicketOpened };
export type TicketEvent = EventsOf<typeof ticketEvents>;
