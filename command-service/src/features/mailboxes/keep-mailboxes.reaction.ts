import {
  AgentActivated,
  AgentDeleted,
  AgentPaused,
  AgentRestored,
} from '@tallyhand/contracts/features/agents/agents.events';
import { MailboxDisconnected } from '@tallyhand/contracts/features/mailboxes/mailboxes.events';
import type { EventReader } from '@tallyhand/contracts/kernel/messages';
import type { StoredEvent } from '@tallyhand/service-kit/event-store/event-log';
import { type Reaction, reaction } from '../../kit/reactions.ts';
import type { Mailboxes } from './mailboxes.ts';

/** Mailboxes rest and go on with their agents, and nothing is kept of one that is disconnected. */
export function keepMailboxes({ followAgent, forget }: Mailboxes): Reaction {
  const follow =
    (kind: EventReader<{ readonly agentId: string; readonly organizationId: string }>) =>
    async ({ data, envelope }: StoredEvent) => {
      const { agentId, organizationId } = kind.read(data, envelope.schemaVersion);
      await followAgent(agentId, organizationId);
    };
  return reaction('keep-mailboxes', {
    AgentPaused: follow(AgentPaused),
    AgentActivated: follow(AgentActivated),
    AgentDeleted: follow(AgentDeleted),
    AgentRestored: follow(AgentRestored),
    MailboxDisconnected: async ({ data, envelope }) => {
      await forget(MailboxDisconnected.read(data, envelope.schemaVersion).mailboxId);
    },
  });
}
