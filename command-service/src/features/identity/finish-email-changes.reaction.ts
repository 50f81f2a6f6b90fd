import {
  EmailChanged,
  EmailReserved,
} from '@tallyhand/contracts/features/identity/identity.events';
import { derivedId } from '@tallyhand/service-kit/crypto/ids';
import { type Reaction, reaction, reactionContext } from '../../kit/reactions.ts';
import type { EmailChanges } from './email-changes.ts';

/** A change of address that was cut off goes on here; the one before is told in any case. */
export const finishEmailChanges = (changes: EmailChanges): Reaction =>
  reaction('finish-email-changes', {
    EmailReserved: async (event) => {
      const reserved = EmailReserved.read(event.data, event.envelope.schemaVersion);
      if (reserved.purpose !== 'change') return;
      const context = reactionContext(event, derivedId(event.id, 'finish-email-change'));
      await changes.finish({ ...context, actor: event.envelope.actor }, reserved);
    },
    EmailChanged: async (event) => {
      const change = EmailChanged.read(event.data, event.envelope.schemaVersion);
      const context = reactionContext(event, derivedId(event.id, 'follow-email-change'));
      const now = new Date(event.envelope.recordedAt);
      if (await changes.isOpen(change)) await changes.follow({ ...context, now }, change);
    },
  });
