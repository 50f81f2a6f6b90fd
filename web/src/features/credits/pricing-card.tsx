import { PRICE_OF } from '@tallyhand/contracts/features/credits/credits.prices';
import { WORK_KIND_OF, WORK_TYPES } from '@tallyhand/contracts/features/credits/paid-work';
import { useTranslation } from 'react-i18next';
import { CardSection } from '../../ui/card.tsx';

/** What each type of work costs. */
export function PricingCard() {
  const { t } = useTranslation('credits');
  return (
    <CardSection title={t('pricing.title')}>
      <dl className="flex flex-col divide-y divide-line">
        <Price name={t('pricing.task')} credits={PRICE_OF.task} />
        {WORK_TYPES.map((type) => (
          <Price
            key={type}
            name={t(`pricing.types.${type}`)}
            credits={PRICE_OF[WORK_KIND_OF[type]]}
          />
        ))}
      </dl>
      <p className="mt-2 text-xs text-muted">{t('pricing.failed')}</p>
    </CardSection>
  );
}

function Price({ name, credits }: { name: string; credits: number }) {
  const { t } = useTranslation('credits');
  return (
    <div className="flex justify-between gap-4 py-2">
      <dt>{name}</dt>
      <dd className="tabular text-muted">{t('pricing.credits', { count: credits })}</dd>
    </div>
  );
}
