import type { ModelUsage } from '@tallyhand/contracts/features/models/model-usage';
import { useTranslation } from 'react-i18next';
import { numberFormat } from '../../ui/formats.ts';
import { costText } from './cost-text.ts';

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
