import type { UsageRow } from '@tallyhand/contracts/features/credits/credits.endpoints';
import type { WorkType } from '@tallyhand/contracts/features/credits/paid-work';
import { useTranslation } from 'react-i18next';
import { BarList } from '../../ui/bar-list.tsx';
import { useGetUsageQuery } from './credits.api.ts';
import type { DayRange } from './daily-usage.tsx';
import { UsageView } from './usage-view.tsx';
import { useFormats } from './use-formats.ts';

const BARS_MAX = 8;

export type Sharing = 'agent' | 'member' | 'type';

/** Who or what spent how much, the largest share first. */
export function SharedUsage({ by, range }: { by: Sharing; range: DayRange }) {
  const { t } = useTranslation('credits');
  const { number } = useFormats();
  const usage = useGetUsageQuery({ by, ...range });
  const nameOf = useNameOf(by);
  const title = t(`usage.by.${by}`);
  return (
    <UsageView
      title={title}
      rowsAre={t(`usage.${by}`)}
      usage={usage}
      nameOf={nameOf}
      sortName={`${by}-usage-sort`}
    >
      {(rows) => (
        <>
          <BarList
            label={title}
            format={number}
            bars={rows
              .slice(0, BARS_MAX)
              .map((row) => ({ key: row.key, label: nameOf(row), value: row.credits }))}
          />
          {rows.length > BARS_MAX && (
            <p className="mt-3 text-xs text-muted">
              {t('usage.others', { count: rows.length - BARS_MAX })}
            </p>
          )}
        </>
      )}
    </UsageView>
  );
}

function useNameOf(by: Sharing) {
  const { t } = useTranslation('credits');
  return ({ key, name }: UsageRow): string => {
    if (by === 'type') {
      return t(`workTypes.${key as WorkType}`);
    }
    if (name) return name;
    if (key === 'none') return t('usage.nobody');
    return by === 'agent' ? t('formerAgent') : t('formerMember');
  };
}
