import { useAddressFilter } from '../../app/use-address-filter.ts';
import { FILTER_NAMES, filterOf } from './audit-filter.ts';

export const useAuditFilter = () => useAddressFilter(FILTER_NAMES, filterOf);

export type AuditFilterState = ReturnType<typeof useAuditFilter>;
