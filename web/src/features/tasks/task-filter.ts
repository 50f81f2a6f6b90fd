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

export const mayRetry = ({ status }: Pick<Task, 'status'>) =>
  status === 'failed' || status === 'cancelled';
