import {
  AgentActivated,
  AgentDeleted,
  AgentPaused,
  AgentRestored,
} from '@tallyhand/contracts/features/agents/agents.events';
import { MailboxDisconnected } from '@tallyhand/contracts/features/mailboxes/mailboxes.events';
import {
  TaskCancelled,
  TaskFailed,
  TaskSucceeded,
} from '@tallyhand/contracts/features/tasks/tasks.events';
import type { EventReader } from '@tallyhand/contracts/kernel/messages';
import type { StoredEvent } from '@tallyhand/service-kit/event-store/event-log';
import { type Reaction, reaction } from '../../kit/reactions.ts';
import type { Mailboxes } from './mailboxes.ts';

const TaskId = TaskCancelled.schema.shape.taskId;

/** The reply to a mail is due when its task succeeds. Otherwise there is none. */
export const followMailTasks = ({ mails }: Mailboxes): Reaction => ({
  name: 'follow-mail-tasks',
  async handle(events) {
    const endedAs = (...types: string[]) =>
      events
        .filter(({ type }) => types.includes(type))
        .map(({ data }) => TaskId.parse(data.taskId));
    const succeeded = endedAs(TaskSucceeded.type);
    const others = endedAs(TaskFailed.type, TaskCancelled.type);
    if (succeeded.length + others.length > 0) await mails.tasksEnded(succeeded, others);
  },
});

/** Suspends and resumes mailboxes with their agents, and deletes the data of disconnected ones. */
export function keepMailboxes(mailboxes: Mailboxes): Reaction {
  const follow =
    (kind: EventReader<{ readonly agentId: string; readonly organizationId: string }>) =>
    async ({ data, envelope }: StoredEvent) => {
      const { agentId, organizationId } = kind.read(data, envelope.schemaVersion);
      await mailboxes.followAgent(agentId, organizationId);
    };
  return reaction('keep-mailboxes', {
    AgentPaused: follow(AgentPaused),
    AgentActivated: follow(AgentActivated),
    AgentDeleted: follow(AgentDeleted),
    AgentRestored: follow(AgentRestored),
    MailboxDisconnected: async ({ data, envelope }) => {
      await mailboxes.forget(MailboxDisconnected.read(data, envelope.schemaVersion).mailboxId);
    },
  });
}
