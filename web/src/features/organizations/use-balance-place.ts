import { purchaseCredits } from '@tallyhand/contracts/features/credits/payments.endpoints';
import { mayCall } from '@tallyhand/contracts/kernel/access';
import { useCurrentUser } from '../identity/identity.api.ts';

/** Where the balance links to: billing. Members who are no Admins read there whom to ask. */
export function useBalancePlace(): string {
  return mayCall(useCurrentUser().role, purchaseCredits) ? '/billing' : '/settings?tab=billing';
}
