import { errorFields } from '@tallyhand/service-kit/log';
import type { CommandContext } from '../../kit/context.ts';
import type { RequestedTask, Task } from './task.decider.ts';
import type { TaskRunnerContext } from './task-runner-context.ts';

/** Much shorter than the life of a reservation. */
const KEEP_MS = 60_000;

export type TaskWatch = Disposable & {
  /** Aborted when the work must stop. */
  readonly signal: AbortSignal;
  readonly isLate: () => boolean;
};

/** Stops the work at its deadline, on cancellation or with its worker, and extends its reservation. */
export function watchOver(
  { kit, completions, keep }: Pick<TaskRunnerContext, 'kit' | 'completions' | 'keep'>,
  task: RequestedTask,
  {
    commands,
    stop,
    find,
  }: {
    readonly commands: () => CommandContext;
    readonly stop: AbortSignal;
    /** The task as it is now. */
    readonly find: () => Promise<Task>;
  },
): TaskWatch {
  const remaining = Math.max(1, Date.parse(task.deadline) - Date.now());
  const deadline = AbortSignal.timeout(remaining);
  const keeping = setInterval(
    () =>
      keep(commands(), task).catch((error) =>
        kit.log.warn('a reservation was not kept', errorFields(error)),
      ),
    KEEP_MS,
  );
  const cancelled = new AbortController();
  const over = new AbortController();
  let elsewhere = completions.wait(task.taskId, remaining);
  /** Cancelling a task announces it, and so does a task that begins to wait for an approval. */
  async function follow() {
    while ((await elsewhere.ended) !== null && !over.signal.aborted) {
      // It listens before it reads, so that no end is missed.
      elsewhere = completions.wait(task.taskId, remaining);
      if ((await find())?.end) cancelled.abort();
    }
  }
  follow().catch((error) => kit.log.warn('an end was not noticed', errorFields(error)));
  return {
    signal: AbortSignal.any([stop, deadline, cancelled.signal]),
    isLate: () => deadline.aborted,
    [Symbol.dispose]() {
      over.abort();
      clearInterval(keeping);
      elsewhere.cancel();
    },
  };
}
