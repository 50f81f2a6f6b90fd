import { AuditFilter as AuditFilterFields } from '@tallyhand/contracts/features/audit/audit.endpoints';
import { type AddressFilter, Day, filterIn } from '../../app/address-filter.ts';
import { withMoments } from '../../app/whole-days.ts';

export const FILTER_NAMES = ['q', 'actor', 'kind', 'object', 'from', 'to'] as const;
export type AuditFilter = AddressFilter<(typeof FILTER_NAMES)[number]>;

const fields = { ...AuditFilterFields, from: Day, to: Day };

export const filterOf = (search: URLSearchParams): AuditFilter => filterIn(fields, search);

export const queryOf = (filter: AuditFilter): AuditFilter => withMoments(filter);
