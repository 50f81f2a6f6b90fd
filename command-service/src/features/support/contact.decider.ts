import {
  type ContactEvent,
  ContactMessageReceived,
  contactEvents,
} from '@tallyhand/contracts/features/support/support.events';
import type { EventValue } from '@tallyhand/contracts/kernel/messages';
import type { Decider } from '../../kit/decider.ts';
import type { StreamPolicy } from '../../kit/stream-policy.ts';

export type ReceivedMessage = Parameters<typeof ContactMessageReceived>[0];

type Contact = { readonly received: ReceivedMessage | null };

/** One stream for each message: its id comes from what it says, so a repeat finds the first. */
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
