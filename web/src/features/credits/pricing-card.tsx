import { TASK_PRICE } from '@tallyhand/contracts/features/credits/credits.prices';
import { useTranslation } from 'react-i18next';
import { CardSection } from '../../ui/card.tsx';

const PRICED = ['task', 'query', 'tool', 'playbook'] as const;

/** What one credit pays for. */
export function PricingCard() {
  const { t } = useTranslation('credits');
  return (
    <CardSection title={t('pricing.title')}>
      <dl className="flex flex-col divide-y divide-line">
        {PRICED.map((kind) => (
          <div key={kind} className="flex justify-between gap-4 py-2">
            <dt>{t(`pricing.${kind}`)}</dt>
            <dd className="tabular text-muted">{t('pricing.credits', { count: TASK_PRICE })}</dd>
          </div>
        ))}
      </dl>
      <p className="mt-2 text-xs text-muted">{t('pricing.failed')}</p>
    </CardSection>
  );
}
