import { listLedgerEntries } from '@tallyhand/contracts/features/credits/credits.endpoints';
import { LOW_CREDITS } from '@tallyhand/contracts/features/credits/credits.prices';
import type { Organization } from '@tallyhand/contracts/features/organizations/organizations.endpoints';
import { mayCall } from '@tallyhand/contracts/kernel/access';
import { TriangleAlert } from 'lucide-react';
import { useTranslation } from 'react-i18next';
import { asRead } from '../../app/api.ts';
import { Badge } from '../../ui/badge.tsx';
import { numberFormat } from '../../ui/formats.ts';
import { Link } from '../../ui/link.tsx';
import { useCurrentUser } from '../identity/identity.api.ts';
import { useGetOrganizationQuery } from './organizations.api.ts';

/** What can be spent now; in the style of a warning below 100. It leads to where it is explained. */
export function CreditBadge() {
  const { t, i18n } = useTranslation('organizations');
  const { data } = useGetOrganizationQuery(undefined, asRead<Organization>());
  const to = useBalancePlace();
  if (!data) return null;
  const low = data.creditBalance < LOW_CREDITS;
  return (
    <Link to={to} className="inline-flex rounded-sm hover:underline">
      <Badge tone={low ? 'danger' : 'neutral'} className="tabular">
        {low && <TriangleAlert aria-hidden />}
        {t('credits', {
          count: data.creditBalance,
          formatted: numberFormat(i18n.language).format(data.creditBalance),
        })}
      </Badge>
    </Link>
  );
}

/** Where the balance links to: billing. Members who are no Admins read there whom to ask. */
export function useBalancePlace(): string {
  return mayCall(useCurrentUser().role, listLedgerEntries) ? '/billing' : '/settings?tab=billing';
}
