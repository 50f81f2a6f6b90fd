import { useTranslation } from 'react-i18next';
import { useSearchParam } from '../../app/use-search-param.ts';
import { Select } from '../../ui/select.tsx';
import { DailyUsage } from './daily-usage.tsx';
import { SharedUsage } from './shared-usage.tsx';
import { lastDays, USAGE_DAYS, usageDays } from './usage-range.ts';

/** What credits were spent on, `?days=7|30|90`: by day, and by who or what spent them. */
export function UsagePanel() {
  const { t } = useTranslation('credits');
  const [asked, setAsked] = useSearchParam('days');
  const days = usageDays(asked);
  const range = lastDays(days, Date.now());
  return (
    <>
      <div className="flex flex-wrap items-center justify-between gap-3">
        <p className="text-muted">{t('usage.description')}</p>
        <Select
          aria-label={t('usage.range')}
          className="w-full sm:w-44"
          value={String(days)}
          onChange={({ target }) => setAsked(target.value)}
          options={USAGE_DAYS.map((count) => ({
            value: String(count),
            label: t('usage.lastDays', { count }),
          }))}
        />
      </div>
      <DailyUsage range={range} days={days} />
      <div className="grid items-start gap-6 md:grid-cols-3">
        <SharedUsage by="agent" range={range} />
        <SharedUsage by="member" range={range} />
        <SharedUsage by="type" range={range} />
      </div>
    </>
  );
}
