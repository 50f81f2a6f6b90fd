import { AuditFilter as AuditFilterFields } from '@tallyhand/contracts/features/audit/audit.endpoints';
import { type AddressFilter, addressFilter, DayFields } from '../../app/address-filter.ts';
import { type AddressFilterState, useAddressFilter } from '../../app/use-address.ts';

/** The filter of the audit log in an address. */
const auditFilter = addressFilter({ ...AuditFilterFields, ...DayFields });
type FilterName = (typeof auditFilter.names)[number];

export type AuditFilter = AddressFilter<FilterName>;

export const useAuditFilter = () => useAddressFilter(auditFilter);

export type AuditFilterState = AddressFilterState<FilterName>;
