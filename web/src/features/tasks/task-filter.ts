import type { CurrentUser } from '@tallyhand/contracts/features/identity/identity.endpoints';
import type { TASK_STATUSES, Task } from '@tallyhand/contracts/features/tasks/tasks.endpoints';
import type { AddressFilter } from '../../app/address-filter.ts';
import { withMoments } from '../../app/whole-days.ts';

export const FILTER_NAMES = ['q', 'status', 'type', 'agentId', 'from', 'to'] as const;
export type FilterName = (typeof FILTER_NAMES)[number];

export type TaskFilter = AddressFilter<FilterName>;

/** How the filter names states, `all` being none of them. */
export const STATUS_CHOICES = ['success', 'failed', 'running', 'queued', 'cancelled'] as const;
STATUS_CHOICES satisfies readonly (typeof TASK_STATUSES)[number][];

export const queryOf = (filter: TaskFilter): TaskFilter => withMoments(filter);

export const isOpen = ({ status }: Pick<Task, 'status'>) =>
  status === 'queued' || status === 'running';

export type TaskAction = 'cancel' | 'retry';

/** What a user may do with a task: with the own ones, and Admins with all. */
export function taskActionOf(
  { status, requestedBy }: Pick<Task, 'status' | 'requestedBy'>,
  user: Pick<CurrentUser, 'id' | 'role'>,
): TaskAction | undefined {
  if (requestedBy.id !== user.id && user.role !== 'Admin') return undefined;
  if (isOpen({ status })) return 'cancel';
  return status === 'failed' || status === 'cancelled' ? 'retry' : undefined;
}
