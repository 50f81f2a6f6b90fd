import { TaskRequested } from '@tallyhand/contracts/features/tasks/tasks.events';
import { formatPosition } from '@tallyhand/service-kit/event-store/position';
import type { PgBoss } from 'pg-boss';
import type { Reaction } from '../../kit/reactions.ts';
import { enqueueTask, isEnqueuedHere } from './task-queue.ts';

/** Every requested task has its job, also when the process died between the two. */
export function runRequestedTasks(boss: PgBoss): Reaction {
  return {
    name: 'run-requested-tasks',
    on: {
      TaskRequested: async (event) => {
        const { taskId, organizationId } = TaskRequested.schema.parse(event.data);
        if (isEnqueuedHere(taskId)) return;
        await enqueueTask(boss, {
          taskId,
          organizationId,
          correlationId: event.envelope.correlationId,
          causationId: event.envelope.commandId,
          position: formatPosition(event.position),
        });
      },
    },
  };
}
