import {
  type ContactEvent,
  ContactMessageReceived,
  contactEvents,
  type TicketEvent,
  TicketOpened,
  ticketEvents,
} from '@tallyhand/contracts/features/support/support.events';
import { TicketNumberTaken } from '@tallyhand/contracts/features/support/support.refusals';
import type { EventValue } from '@tallyhand/contracts/kernel/messages';
import type { RefusalOf } from '@tallyhand/contracts/kernel/refusal';
import type { Decider, StreamPolicy } from '../../kit/stream-policy.ts';

export type ReceivedMessage = Parameters<typeof ContactMessageReceived>[0];

type Contact = { readonly received: ReceivedMessage | null };

/** One stream for each message. Its id is derived from its content, so a repeat finds the first. */
export const contactDecider: Decider<
  Contact,
  EventValue<'ReceiveContactMessage', ReceivedMessage>,
  ContactEvent,
  never
> = {
  initialState: () => ({ received: null }),
  decide: ({ data }, { received }) => (received ? [] : [ContactMessageReceived(data)]),
  evolve: (_, { data }) => ({ received: data }),
};

export const contactStream: StreamPolicy<
  Contact,
  EventValue<'ReceiveContactMessage', ReceivedMessage>,
  ContactEvent,
  never
> = {
  category: 'contact',
  decider: contactDecider,
  events: contactEvents,
  isFinal: ({ received }) => received !== null,
};

export type OpenedTicket = Parameters<typeof TicketOpened>[0];

type Ticket = { readonly opened: OpenedTicket | null };

/**
 * One stream for each ticket number, so that no number is used twice. The number is derived from the
 * ticket's content, so a repeat finds the first.
 */
export const ticketDecider: Decider<
  Ticket,
  EventValue<'OpenTicket', OpenedTicket>,
  TicketEvent,
  RefusalOf<typeof TicketNumberTaken>
> = {
  initialState: () => ({ opened: null }),
  decide({ data }, { opened }) {
    if (!opened) return [TicketOpened(data)];
    return opened.contentKey === data.contentKey ? [] : TicketNumberTaken({});
  },
  evolve: (_, { data }) => ({ opened: data }),
};

export const ticketStream: StreamPolicy<
  Ticket,
  EventValue<'OpenTicket', OpenedTicket>,
  TicketEvent,
  RefusalOf<typeof TicketNumberTaken>
> = {
  category: 'ticket',
  decider: ticketDecider,
  events: ticketEvents,
  isFinal: ({ opened }) => opened !== null,
};
