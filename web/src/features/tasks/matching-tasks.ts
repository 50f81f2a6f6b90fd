import type { Task } from '@tallyhand/contracts/features/tasks/tasks.endpoints';

/** Values of the status filter; `running` takes those in with that wait for their turn. */
export const TASK_FILTERS = ['all', 'success', 'failed', 'running'] as const;
export type TaskFilter = (typeof TASK_FILTERS)[number];

type Searched = Pick<Task, 'input' | 'output' | 'status'>;

function passes(status: Task['status'], filter: TaskFilter): boolean {
  if (filter === 'all') return true;
  if (filter === 'running') return status === 'running' || status === 'queued';
  return status === filter;
}

/** Those with the words in their input or output, in whatever case, and with the status. */
export function matchingTasks<T extends Searched>(
  tasks: readonly T[],
  words: string,
  filter: TaskFilter,
): T[] {
  const wanted = words.trim().toLocaleLowerCase();
  const contains = (text: string | null) => (text ?? '').toLocaleLowerCase().includes(wanted);
  return tasks.filter(
    ({ input, output, status }) => passes(status, filter) && (contains(input) || contains(output)),
  );
}
