import { useAddressFilter } from '../../app/use-address-filter.ts';
import { FILTER_NAMES, filterOf } from './task-filter.ts';

export const useTaskFilter = () => useAddressFilter(FILTER_NAMES, filterOf);

export type TaskFilterState = ReturnType<typeof useTaskFilter>;
