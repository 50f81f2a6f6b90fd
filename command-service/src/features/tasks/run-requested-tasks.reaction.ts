import { TaskRequested } from '@tallyhand/contracts/features/tasks/tasks.events';
import { formatPosition } from '@tallyhand/service-kit/event-store/position';
import { type Reaction, reaction } from '../../kit/reactions.ts';
import type { TaskQueue } from './task-queue.ts';

/** Every requested task has its job, also when the process died between the two. */
export const runRequestedTasks = (queue: TaskQueue): Reaction =>
  reaction('run-requested-tasks', {
    TaskRequested: async (event) => {
      const { data, envelope } = event;
      const { taskId, organizationId } = TaskRequested.read(data, envelope.schemaVersion);
      if (queue.isEnqueuedHere(taskId)) return;
      await queue.enqueue({
        taskId,
        organizationId,
        correlationId: event.envelope.correlationId,
        causationId: event.envelope.commandId,
        position: formatPosition(event.position),
      });
    },
  });
