import { PersonErased } from '@tallyhand/contracts/features/identity/identity.events';
import { MemberDeactivated } from '@tallyhand/contracts/features/organizations/organizations.events';
import { derivedId } from '@tallyhand/service-kit/crypto/ids';
import { type Reaction, reaction, reactionContext } from '../../kit/reactions.ts';
import type { Erasure } from './erasure.ts';

/** An erasure that was cut off goes on here. */
export const finishErasures = ({ resume, wipe, forgetExports }: Erasure): Reaction =>
  reaction('finish-erasures', {
    MemberDeactivated: async (event) => {
      const { userId } = MemberDeactivated.read(event.data, event.envelope.schemaVersion);
      // A member whom an Admin removed may have decided against erasure.
      if (event.envelope.actor.id !== userId) return;
      await resume(reactionContext(event, derivedId(event.id, 'erase-person')), userId);
    },
    PersonErased: async (event) => {
      const erased = PersonErased.read(event.data, event.envelope.schemaVersion);
      await wipe(reactionContext(event, derivedId(event.id, 'finish-erasure')), erased);
      await forgetExports(erased.organizationId, new Date(event.envelope.recordedAt));
    },
  });
