import {
  TaskCancelled,
  TaskFailed,
  TaskSucceeded,
} from '@tallyhand/contracts/features/tasks/tasks.events';
import type { Reaction } from '../../kit/reactions.ts';
import type { Mailboxes } from './mailboxes.ts';

const TaskId = TaskCancelled.schema.shape.taskId;

/** The reply to a mail is due when its task succeeded; any other end is the end of it. */
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
