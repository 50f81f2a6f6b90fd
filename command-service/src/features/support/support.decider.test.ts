import {
  ContactMessageReceived,
  TicketOpened,
} from '@tallyhand/contracts/features/support/support.events';
import type { Ciphertext } from '@tallyhand/contracts/kernel/ids';
import { derivedId } from '@tallyhand/service-kit/crypto/ids';
import { describe, expect, it } from 'vitest';
import { rulesOf } from '../../kit/testing/given.ts';
import { contactStream, ticketStream } from './support.decider.ts';
import { ticketNumberOf } from './support.ts';

const sealed = 'sealed' as Ciphertext;
const ticket = {
  ticketId: derivedId('ticket'),
  ticketNumber: 'TH-7F3K2Q',
  organizationId: null,
  personId: derivedId('ticket'),
  contentKey: 'key of what it says',
  name: sealed,
  email: sealed,
  company: null,
  subject: sealed,
  message: sealed,
  priority: 'medium',
  category: 'general',
};
const open = (change: Partial<typeof ticket> = {}) => ({
  type: 'OpenTicket' as const,
  data: { ...ticket, ...change },
});

const givenTicket = rulesOf(ticketStream);

describe('OpenTicket', () => {
  it('opens the ticket', () => {
    givenTicket().when(open()).thenAppended(TicketOpened(ticket));
  });
  it('does nothing if the same ticket is sent again', () => {
    givenTicket(TicketOpened(ticket))
      .when(open({ name: 'sealed again' as Ciphertext }))
      .thenNothing();
  });
  it('is refused if another ticket has the number', () => {
    givenTicket(TicketOpened(ticket))
      .when(open({ contentKey: 'key of something else' }))
      .thenRefused('ticket-number-taken');
  });
});

describe('the number of a ticket', () => {
  it('is the same for the same key and attempt, and can be read out on the phone', () => {
    const number = ticketNumberOf('key', 0);
    expect(number).toMatch(/^TH-[0-9A-HJKMNP-TV-Z]{6}$/);
    expect(ticketNumberOf('key', 0)).toBe(number);
  });
  it('is another one at the next attempt and for another key', () => {
    const numbers = ['key', 'other'].flatMap((key) => [0, 1].map((n) => ticketNumberOf(key, n)));
    expect(new Set(numbers).size).toBe(4);
  });
});

const contactId = derivedId('message');
const message = {
  contactId,
  personId: contactId,
  name: sealed,
  email: sealed,
  company: null,
  message: sealed,
};
const receive = { type: 'ReceiveContactMessage' as const, data: message };

const givenContact = rulesOf(contactStream);

describe('ReceiveContactMessage', () => {
  it('keeps the message', () => {
    givenContact().when(receive).thenAppended(ContactMessageReceived(message));
  });
  it('does nothing the second time it arrives', () => {
    givenContact(ContactMessageReceived(message)).when(receive).thenNothing();
  });
});
