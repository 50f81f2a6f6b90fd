import { purchaseCredits } from '@tallyhand/contracts/features/credits/payments.endpoints';
import { mayCall } from '@tallyhand/contracts/kernel/access';
import { useTranslation } from 'react-i18next';
import { Link } from 'react-router-dom';
import { LoadFailed } from '../../app/load-failed.tsx';
import { ButtonLink } from '../../ui/button.tsx';
import { CardSection } from '../../ui/card.tsx';
import { numberFormat } from '../../ui/formats.ts';
import { Skeleton } from '../../ui/skeleton.tsx';
import { useCurrentUser } from '../identity/identity.api.ts';
import { useGetOrganizationQuery } from '../organizations/organizations.api.ts';

export function BillingTab() {
  const { t, i18n } = useTranslation('settings');
  const { role } = useCurrentUser();
  const { data, error, refetch } = useGetOrganizationQuery();
  const count = data?.creditBalance;
  return (
    <CardSection title={t('billing.title')} className="max-w-[560px]">
      {error && !data ? (
        <LoadFailed error={error} onRetry={refetch} />
      ) : (
        <div className="flex flex-wrap items-center justify-between gap-4">
          {count === undefined ? (
            <Skeleton className="h-6 w-40" />
          ) : (
            <p className="tabular">
              {t('billing.remaining', {
                count,
                formatted: numberFormat(i18n.language).format(count),
              })}
            </p>
          )}
          {mayCall(role, purchaseCredits) && (
            <div className="flex flex-wrap gap-2">
              <ButtonLink>
                <Link to="/contact?category=general">{t('billing.upgrade')}</Link>
              </ButtonLink>
              <ButtonLink variant="primary">
                <Link to="/billing">{t('billing.add')}</Link>
              </ButtonLink>
            </div>
          )}
        </div>
      )}
      {!mayCall(role, purchaseCredits) && (
        <p className="mt-2 text-muted">{t('billing.askAdmin')}</p>
      )}
    </CardSection>
  );
}
