import { useAddressFilter } from '../../app/use-address-filter.ts';
import { FILTER_NAMES } from './task-filter.ts';
import { filterOf } from './task-filter-in-address.ts';

export const useTaskFilter = () => useAddressFilter(FILTER_NAMES, filterOf);

export type TaskFilterState = ReturnType<typeof useTaskFilter>;
