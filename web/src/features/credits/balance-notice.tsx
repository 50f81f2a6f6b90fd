import { CRITICAL_CREDITS } from '@tallyhand/contracts/features/credits/credits.prices';
import { useTranslation } from 'react-i18next';
import { Banner } from '../../ui/banner.tsx';
import { useGetOrganizationQuery } from '../organizations/organizations.api.ts';
import { useListPaymentsQuery } from './credits.api.ts';
import { useFormats } from './use-formats.ts';

/** Below 50 credits: that agents will stop. Below 0: that they have stopped, and why. */
export function BalanceNotice() {
  const { t } = useTranslation('credits');
  const { number } = useFormats();
  const { data: organization } = useGetOrganizationQuery();
  const { data: payments = [] } = useListPaymentsQuery();
  const balance = organization?.creditBalance;
  if (balance === undefined || balance >= CRITICAL_CREDITS) return null;
  const takenBack = payments.some(({ creditsReversed }) => creditsReversed > 0);
  return (
    <Banner tone="danger" title={t('critical.title')}>
      <p>
        {balance > 0
          ? t('critical.left', { count: balance, formatted: number(balance) })
          : t('critical.stopped')}
      </p>
      {balance < 0 && (
        <p>
          {takenBack
            ? t('critical.takenBack', { balance: number(balance) })
            : t('critical.negative', { balance: number(balance) })}
        </p>
      )}
    </Banner>
  );
}
