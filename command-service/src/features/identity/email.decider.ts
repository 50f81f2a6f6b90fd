import {
  type EmailEvent,
  EmailReleased,
  EmailReserved,
  emailEvents,
} from '@tallyhand/contracts/features/identity/identity.events';
import { EmailTaken } from '@tallyhand/contracts/features/identity/identity.refusals';
import type { EventValue } from '@tallyhand/contracts/kernel/messages';
import type { RefusalOf } from '@tallyhand/contracts/kernel/refusal';
import type { Decider, StreamPolicy } from '../../kit/stream-policy.ts';

export type Reservation = Parameters<typeof EmailReserved>[0];

type EmailCommand =
  | EventValue<'ReserveEmail', Reservation>
  | EventValue<'ReleaseEmail', { readonly userId: string }>;

/** An email address, by its keyed hash: whose it is, if anyone's. */
export type Email = { readonly reservation: Reservation | null };

export const emailDecider: Decider<
  Email,
  EmailCommand,
  EmailEvent,
  RefusalOf<typeof EmailTaken>
> = {
  initialState: () => ({ reservation: null }),
  decide(command, { reservation }) {
    switch (command.type) {
      case 'ReserveEmail':
        if (!reservation) return [EmailReserved(command.data)];
        return reservation.userId === command.data.userId ? [] : EmailTaken({});
      case 'ReleaseEmail':
        if (reservation?.userId !== command.data.userId) return [];
        return [EmailReleased({ emailKey: reservation.emailKey, userId: command.data.userId })];
    }
  },
  evolve(_, event) {
    switch (event.type) {
      case 'EmailReserved':
        return { reservation: event.data };
      case 'EmailReleased':
        return { reservation: null };
    }
  },
};

export const emailStream: StreamPolicy<
  Email,
  EmailCommand,
  EmailEvent,
  RefusalOf<typeof EmailTaken>
> = {
  category: 'email',
  decider: emailDecider,
  events: emailEvents,
};
