import { EmailReserved } from '@tallyhand/contracts/features/identity/identity.events';
import { derivedId } from '@tallyhand/service-kit/crypto/ids';
import { type Reaction, reaction, reactionContext } from '../../kit/reactions.ts';
import type { Registration } from './registration.ts';

/** A registration that was cut off after its address was reserved goes on here. */
export const finishRegistrations = (registration: Registration): Reaction =>
  reaction('finish-registrations', {
    EmailReserved: async (event) => {
      const reserved = EmailReserved.read(event.data, event.envelope.schemaVersion);
      if (reserved.purpose !== 'registration') return;
      const context = reactionContext(event, derivedId(event.id, 'finish-registration'));
      // The person remains the actor, whichever process finishes it.
      await registration.finish({ ...context, actor: event.envelope.actor }, reserved);
    },
  });
