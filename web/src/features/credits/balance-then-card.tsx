import type { LedgerEntry } from '@tallyhand/contracts/features/credits/credits.endpoints';
import type { Organization } from '@tallyhand/contracts/features/organizations/organizations.endpoints';
import { useState } from 'react';
import { useTranslation } from 'react-i18next';
import { LoadFailed } from '../../app/loaded.tsx';
import { Button } from '../../ui/button.tsx';
import { CardSection } from '../../ui/card.tsx';
import { Loading, Skeleton, Skeletons } from '../../ui/loading.tsx';
import { Slider, useSettled } from '../../ui/slider.tsx';
import { ExactTime, exactTime } from '../../ui/time.tsx';
import {
  useGetBalanceAtQuery,
  useGetLedgerBeginningQuery,
  useListLedgerUntilQuery,
} from './credits.api.ts';
import { useEntryReason } from './ledger-entry.tsx';
import { MOMENTS_MAX, momentAt } from './moments.ts';
import { useFormats } from './use-formats.ts';

const ENTRIES_SHOWN = 5;

/** What the organization had at any moment since its ledger began. */
export function BalanceThenCard() {
  const { t } = useTranslation('credits');
  const [stop, setStop] = useState(MOMENTS_MAX);
  const { data: first, error, refetch } = useGetLedgerBeginningQuery();
  return (
    <CardSection
      title={t('then.title')}
      actions={
        <Button size="sm" disabled={stop === MOMENTS_MAX} onClick={() => setStop(MOMENTS_MAX)}>
          {t('then.back')}
        </Button>
      }
    >
      <p className="-mt-2 mb-4 max-w-[68ch] text-muted">{t('then.description')}</p>
      {first && <Life beginning={Date.parse(first.at)} stop={stop} setStop={setStop} />}
      {first === null && <p className="text-muted">{t('then.empty')}</p>}
      {first === undefined && error && <LoadFailed error={error} onRetry={refetch} />}
      {first === undefined && !error && (
        <Loading label={t('then.beginning')} className="flex flex-col gap-3">
          <Skeletons count={6} className="h-8" />
        </Loading>
      )}
    </CardSection>
  );
}

function Life({
  beginning,
  stop,
  setStop,
}: {
  beginning: number;
  stop: number;
  setStop: (stop: number) => void;
}) {
  const { t, i18n } = useTranslation('credits');
  // The stops keep their moments while the card is shown.
  const [until] = useState(Date.now);
  const momentOf = (one: number) => momentAt(one, beginning, until);
  const at = momentOf(stop);
  return (
    <div className="flex flex-col gap-4">
      <Slider
        label={t('then.time')}
        max={MOMENTS_MAX}
        value={stop}
        valueText={at === null ? t('then.now') : exactTime(at, i18n.language)}
        onChange={setStop}
      />
      <BalanceAt stop={stop} momentOf={momentOf} />
    </div>
  );
}

type BalanceAtProps = { stop: number; momentOf: (stop: number) => string | null };

/** Never shows the answer of another stop. Its height stays the same. */
function BalanceAt({ stop, momentOf }: BalanceAtProps) {
  const settled = useSettled(stop);
  const at = momentOf(settled);
  const moment = at === null ? {} : { asOf: at };
  const balance = useGetBalanceAtQuery(moment);
  const ledger = useListLedgerUntilQuery({ ...moment, limit: ENTRIES_SHOWN });
  const isSettled = settled === stop;
  const failed = isSettled && [balance, ledger].find(({ error }) => error);
  if (failed) {
    return (
      <div className="min-h-96 sm:min-h-72">
        <LoadFailed error={failed.error} onRetry={failed.refetch} />
      </div>
    );
  }
  return (
    <div className="grid min-h-96 content-start gap-x-8 gap-y-4 sm:min-h-72 sm:grid-cols-[10rem_minmax(0,1fr)]">
      <Figures balance={isSettled ? balance.currentData : undefined} />
      <NewestEntries entries={isSettled ? ledger.currentData : undefined} />
    </div>
  );
}

function Figures({ balance }: { balance: Organization | undefined }) {
  const { t } = useTranslation('credits');
  const { number } = useFormats();
  const figures = [
    [t('then.available'), balance?.creditBalance],
    [t('then.reserved'), balance?.reserved],
  ] as const;
  return (
    <dl aria-live="polite" className="grid grid-cols-2 content-start gap-4 sm:grid-cols-1">
      {figures.map(([name, value]) => (
        <div key={name}>
          <dt className="text-xs text-muted">{name}</dt>
          <dd className="h-7 tabular text-lg font-semibold">
            {value === undefined ? <Skeleton className="w-16 animate-late" /> : number(value)}
          </dd>
        </div>
      ))}
    </dl>
  );
}

function NewestEntries({ entries }: { entries: readonly LedgerEntry[] | undefined }) {
  const { t } = useTranslation('credits');
  const reasonOf = useEntryReason();
  return (
    <div className="min-w-0">
      <h3 className="text-xs text-muted">{t('then.newest')}</h3>
      {!entries && (
        <Loading label={t('then.loading')} className="mt-2 flex flex-col gap-3">
          <Skeletons count={ENTRIES_SHOWN} className="h-9" />
        </Loading>
      )}
      {entries?.length === 0 && <p className="mt-2">{t('then.none')}</p>}
      {entries && (
        <ol aria-label={t('then.newest')} className="flex flex-col divide-y divide-line">
          {entries.map((entry) => (
            <Entry key={entry.id} entry={entry} reason={reasonOf(entry)} />
          ))}
        </ol>
      )}
    </div>
  );
}

function Entry({ entry, reason }: { entry: LedgerEntry; reason: string }) {
  const { t } = useTranslation('credits');
  const { change } = useFormats();
  return (
    <li className="grid grid-cols-[minmax(0,1fr)_auto] gap-x-4 py-2">
      <span className="truncate" title={reason}>
        <span className="font-medium">{t(`ledger.kinds.${entry.kind}`)}</span>{' '}
        <span className="text-muted">{reason}</span>
      </span>
      <span className="tabular">{change(entry.availableChange)}</span>
      <span className="text-xs text-muted">
        <ExactTime at={entry.at} />
      </span>
    </li>
  );
}
