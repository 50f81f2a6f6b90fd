import {
  type TicketEvent,
  TicketOpened,
  ticketEvents,
} from '@tallyhand/contracts/features/support/support.events';
import { TicketNumberTaken } from '@tallyhand/contracts/features/support/support.refusals';
import type { EventValue } from '@tallyhand/contracts/kernel/messages';
import type { RefusalOf } from '@tallyhand/contracts/kernel/refusal';
import type { Decider } from '../../kit/decider.ts';
import type { StreamPolicy } from '../../kit/stream-policy.ts';

export type OpenedTicket = Parameters<typeof TicketOpened>[0];

type Ticket = { readonly opened: OpenedTicket | null };

/**
 * One stream for each number, which is thereby given once: the stream's id comes from the number,
 * and the number from what the ticket says, so a repeat finds the first.
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
