import { useTranslation } from 'react-i18next';
import { Banner } from '../../ui/banner.tsx';
import { dateFormat, numberFormat } from '../../ui/formats.ts';
import { useGetChatBudgetQuery } from './chat.api.ts';

/** Of the budget: from here on, those who chat are told. */
const NEAR = 0.8;

/** How much of its monthly tokens chat has used, when little or nothing of them is left. */
export function BudgetNotice() {
  const { t, i18n } = useTranslation('chat');
  const { data } = useGetChatBudgetQuery();
  if (!data || data.monthlyTokens === null) return null;
  const { monthlyTokens, usedTokens, resetsAt } = data;
  if (usedTokens < NEAR * monthlyTokens) return null;
  const date = dateFormat(i18n.language, { dateStyle: 'long' }).format(new Date(resetsAt));
  const isUsedUp = usedTokens >= monthlyTokens;
  const percent = numberFormat(i18n.language, { style: 'percent' });
  const share = percent.format(Math.floor((100 * usedTokens) / Math.max(1, monthlyTokens)) / 100);
  return (
    <div className="mx-auto mb-3 w-full max-w-3xl">
      <Banner tone="warning">
        {isUsedUp ? t('budget.usedUp', { date }) : t('budget.near', { share, date })}
      </Banner>
    </div>
  );
}
