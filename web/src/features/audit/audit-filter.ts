import { AuditFilter as AuditFilterFields } from '@tallyhand/contracts/features/audit/audit.endpoints';
import { type AddressFilter, Day, filterIn } from '../../app/address-filter.ts';
import { type AddressFilterState, useAddressFilter } from '../../app/use-address.ts';

export const FILTER_NAMES = ['q', 'actor', 'kind', 'object', 'from', 'to'] as const;
export type AuditFilter = AddressFilter<(typeof FILTER_NAMES)[number]>;

const fields = { ...AuditFilterFields, from: Day, to: Day };

const filterOf = (search: URLSearchParams): AuditFilter => filterIn(fields, search);

export const useAuditFilter = () => useAddressFilter(FILTER_NAMES, filterOf);

export type AuditFilterState = AddressFilterState<(typeof FILTER_NAMES)[number]>;
