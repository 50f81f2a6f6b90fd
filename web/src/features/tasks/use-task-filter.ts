import { TaskFilter as TaskFilterFields } from '@tallyhand/contracts/features/tasks/tasks.endpoints';
import { Day, filterIn } from '../../app/address-filter.ts';
import { useAddressFilter } from '../../app/use-address-filter.ts';
import type { TaskFilter } from './task-filter.ts';
import { FILTER_NAMES } from './task-filter.ts';

export const useTaskFilter = () => useAddressFilter(FILTER_NAMES, filterOf);

export type TaskFilterState = ReturnType<typeof useTaskFilter>;

const fields = { ...TaskFilterFields, from: Day, to: Day };

/** The filter of tasks that stands in an address. */
export const filterOf = (search: URLSearchParams): TaskFilter => filterIn(fields, search);
