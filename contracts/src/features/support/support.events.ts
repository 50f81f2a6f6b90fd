import { z } from 'zod';
import { Ciphertext, Id } from '../../kernel/ids.ts';
import { type EventsOf, event } from '../../kernel/messages.ts';

/** On `contact-{id}`. */
export const ContactMessageReceived = event('ContactMessageReceived', {
  contactId: Id,
  /** Whose key encrypts the text: the signed-in sender's, otherwise the message's own. */
  personId: Id,
  name: Ciphertext,
  email: Ciphertext,
  company: Ciphertext.nullable(),
  message: Ciphertext,
});

/** Every event of the stream, by type. */
export const contactEvents = { ContactMessageReceived };
export type ContactEvent = EventsOf<typeof contactEvents>;

/** On `ticket-{id}`. The organization of a signed-in sender; otherwise none. */
export const TicketOpened = event('TicketOpened', {
  ticketId: Id,
  ticketNumber: z.string(),
  organizationId: Id.nullable(),
  /** As above. */
  personId: Id,
  /** Keyed hash of the whole message, which identifies a repeat. */
  contentKey: z.string(),
  name: Ciphertext,
  email: Ciphertext,
  company: Ciphertext.nullable(),
  subject: Ciphertext,
  message: Ciphertext,
  // Not the current lists: stored values must stay readable when the lists change.
  priority: z.string(),
  category: z.string(),
});

/** Every event of the stream, by type. */
export const ticketEvents = { TicketOpened };
export type TicketEvent = EventsOf<typeof ticketEvents>;
