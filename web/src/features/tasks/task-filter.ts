import type { CurrentUser } from '@tallyhand/contracts/features/identity/identity.endpoints';
import {
  type TASK_STATUSES,
  type Task,
  TaskFilter as TaskFilterFields,
} from '@tallyhand/contracts/features/tasks/tasks.endpoints';
import { ADMINS, mayCall } from '@tallyhand/contracts/kernel/access';
import { type AddressFilter, addressFilter, DayFields } from '../../app/address-filter.ts';
import { type AddressFilterState, useAddressFilter } from '../../app/use-address.ts';

/** The filter of tasks in an address. */
export const taskFilter = addressFilter({ ...TaskFilterFields, ...DayFields });
type FilterName = (typeof taskFilter.names)[number];

export type TaskFilter = AddressFilter<FilterName>;

/** How the filter names states, `all` being none of them. */
export const STATUS_CHOICES = [
  'success',
  'failed',
  'running',
  'waiting',
  'queued',
  'cancelled',
] as const;
STATUS_CHOICES satisfies readonly (typeof TASK_STATUSES)[number][];

export const isOpen = ({ status }: Pick<Task, 'status'>) =>
  status === 'queued' || status === 'running' || status === 'waiting';

export type TaskAction = 'cancel' | 'retry';

/** What a user may do with a task: with the own ones, and Admins with all. */
export function taskActionOf(
  { status, requestedBy }: Pick<Task, 'status' | 'requestedBy'>,
  user: Pick<CurrentUser, 'id' | 'role'>,
): TaskAction | undefined {
  if (requestedBy.id !== user.id && !mayCall(user.role, ADMINS)) return undefined;
  if (isOpen({ status })) return 'cancel';
  return status === 'failed' || status === 'cancelled' ? 'retry' : undefined;
}

export const useTaskFilter = () => useAddressFilter(taskFilter);

export type TaskFilterState = AddressFilterState<FilterName>;
