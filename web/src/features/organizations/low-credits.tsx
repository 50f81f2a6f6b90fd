import { purchaseCredits } from '@tallyhand/contracts/features/credits/payments.endpoints';
import { mayCall } from '@tallyhand/contracts/kernel/access';
import { useTranslation } from 'react-i18next';
import { Banner } from '../../ui/banner.tsx';
import { ButtonLink } from '../../ui/button.tsx';
import { numberFormat } from '../../ui/formats.ts';
import { useCurrentUser } from '../identity/identity.api.ts';

/** That credits run out, with the way to more for those who may buy them. */
export function LowCredits({ balance }: { balance: number }) {
  const { t, i18n } = useTranslation('organizations');
  const mayBuy = mayCall(useCurrentUser().role, purchaseCredits);
  const counted = { count: balance, formatted: numberFormat(i18n.language).format(balance) };
  return (
    <Banner
      tone="warning"
      title={t('lowCredits.title')}
      action={
        mayBuy && (
          <ButtonLink size="sm" to="/billing">
            {t('lowCredits.buy')}
          </ButtonLink>
        )
      }
    >
      {mayBuy ? t('lowCredits.text', counted) : t('lowCredits.forOthers', counted)}
    </Banner>
  );
}

/** The balance at which no credit counts as used. */
export const BALANCE_UNUSED = 1_000;

/** The share of credits that is used, from 0 to 100 whatever the balance. */
export const usedPercent = (balance: number) =>
  Math.min(100, Math.max(0, 100 - (balance / BALANCE_UNUSED) * 100));
