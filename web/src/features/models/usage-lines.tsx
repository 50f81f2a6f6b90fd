import type { ModelCost, ModelUsage } from '@tallyhand/contracts/features/models/model-usage';
import { useTranslation } from 'react-i18next';
import { numberFormat } from '../../ui/formats.ts';

const MICROS = 1_000_000;

/** Costs are often less than a cent. */
export const costText = (language: string, micros: number) =>
  numberFormat(language, {
    style: 'currency',
    currency: 'USD',
    minimumFractionDigits: 2,
    maximumFractionDigits: micros < MICROS ? 6 : 2,
  }).format(micros / MICROS);

/** Whether nothing that was called has a price, so that a cost of zero would be wrong. */
export const hasNoPrice = ({ unpricedCalls, costMicros }: ModelCost) =>
  unpricedCalls > 0 && costMicros === 0;

/** Writes a cost, with what makes it inexact. */
export function useCostText(): (cost: ModelCost) => string {
  const { t, i18n } = useTranslation('usage');
  return (figures) => {
    const { costMicros, estimatedCalls, unpricedCalls } = figures;
    if (hasNoPrice(figures)) return t('noPrice');
    const exact = costText(i18n.language, costMicros);
    const cost = estimatedCalls > 0 && costMicros > 0 ? t('about', { cost: exact }) : exact;
    return unpricedCalls > 0 ? t('atLeast', { cost }) : cost;
  };
}

/** The tokens and the cost of model calls, a line for each model. */
export function UsageLines({ usage }: { usage: readonly ModelUsage[] }) {
  const { t, i18n } = useTranslation('usage');
  const whole = (count: number) => numberFormat(i18n.language).format(count);
  return (
    <ul className="flex flex-col gap-1">
      {usage.map(({ connectionId, model, costMicros, isEstimated, ...tokens }) => (
        <li key={`${connectionId} ${model}`} className="tabular">
          {[
            t('tokens', { input: whole(tokens.inputTokens), output: whole(tokens.outputTokens) }),
            tokens.cachedTokens > 0 && t('cached', { cached: whole(tokens.cachedTokens) }),
            isEstimated && t('estimated'),
            costMicros === null ? t('noPrice') : costText(i18n.language, costMicros),
          ]
            .filter(Boolean)
            .join(' · ')}
          <span className="block text-muted">{model}</span>
        </li>
      ))}
    </ul>
  );
}
