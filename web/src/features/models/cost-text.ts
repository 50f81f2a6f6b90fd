import type { ModelCost } from '@tallyhand/contracts/features/models/model-usage';
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
