import { ADMINS } from '@tallyhand/contracts/features/identity/role';
import { useCurrentUser } from '../identity/identity.api.ts';

/** Where the balance leads: to billing, which is the Admins'; others read there whom to ask. */
export function useBalancePlace(): string {
  return ADMINS.includes(useCurrentUser().role) ? '/billing' : '/settings?tab=billing';
}
