import { LOW_CREDITS } from '@tallyhand/contracts/features/credits/credits.prices';
import { ADMINS } from '@tallyhand/contracts/features/identity/role';
import { TriangleAlert } from 'lucide-react';
import { useTranslation } from 'react-i18next';
import { Link } from 'react-router-dom';
import { Badge } from '../../ui/badge.tsx';
import { useCurrentUser } from '../identity/identity.api.ts';
import { useGetOrganizationQuery } from './organizations.api.ts';

/** What can be spent now; in the style of a warning below 100. It leads Admins to more. */
export function CreditBadge() {
  const { t, i18n } = useTranslation('organizations');
  const { data } = useGetOrganizationQuery();
  const { role } = useCurrentUser();
  if (!data) return null;
  const low = data.creditBalance < LOW_CREDITS;
  const badge = (
    <Badge tone={low ? 'danger' : 'neutral'} className="tabular">
      {low && <TriangleAlert aria-hidden />}
      {t('credits', {
        count: data.creditBalance,
        formatted: data.creditBalance.toLocaleString(i18n.language),
      })}
    </Badge>
  );
  if (!ADMINS.includes(role)) return badge;
  return (
    <Link to="/billing" className="inline-flex rounded-sm hover:underline">
      {badge}
    </Link>
  );
}
