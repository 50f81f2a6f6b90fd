import type { TaskEvent } from '@tallyhand/contracts/features/tasks/tasks.events';
import { isRefusal } from '@tallyhand/contracts/kernel/refusal';
import type { Sent } from '../../kit/decide-all.ts';
import type { Streams } from '../../kit/streams.ts';
import type { Task, TaskCommand } from './task.decider.ts';

/** An earlier end is stored together with the start. */
const APART_MS = 50;

/** The start of a task, which is stored before its end or with it. */
export type TaskStart = Disposable & {
  /** Stores it at once. Returns the task with what other workers have done; null if it has ended. */
  now(): Promise<Task>;
  /** Stores the end, with the start if that is not stored yet. */
  end(sent: Sent<TaskCommand>): Promise<void>;
  /** Aborted when storing the start found that the task has ended. */
  readonly isOver: AbortSignal;
};

/**
 * Starts a task. Unless it must be stored at once, the start waits a moment for the end, so that
 * both cost one append. A worker that resumes the task before that starts it again.
 */
export function startTask(
  tasks: Pick<Streams<Task, TaskCommand, TaskEvent>, 'send' | 'sendAll'>,
  taskId: string,
  start: Sent<TaskCommand>,
): TaskStart {
  const over = new AbortController();
  let stored: Promise<Task> | null = null;
  const timer = setTimeout(() => now().catch(() => {}), APART_MS);

  async function store(): Promise<Task> {
    const begun = await tasks.send(taskId, start.command, start.context);
    const task = isRefusal(begun) || begun.state?.end ? null : begun.state;
    if (!task) over.abort();
    return task;
  }

  function now() {
    clearTimeout(timer);
    stored ??= store();
    return stored;
  }

  return {
    now,
    async end(sent) {
      clearTimeout(timer);
      if (stored && !(await stored)) return;
      if (stored) await tasks.send(taskId, sent.command, sent.context);
      else await tasks.sendAll(taskId, [start, sent]);
    },
    isOver: over.signal,
    [Symbol.dispose]: () => clearTimeout(timer),
  };
}
