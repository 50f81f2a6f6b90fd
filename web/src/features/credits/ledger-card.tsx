import {
  exportLedger,
  type LedgerEntry,
} from '@tallyhand/contracts/features/credits/credits.endpoints';
import type { WorkKind } from '@tallyhand/contracts/features/credits/paid-work';
import { Download } from 'lucide-react';
import { useTranslation } from 'react-i18next';
import { Link } from 'react-router-dom';
import { NotLoaded } from '../../app/loaded.tsx';
import { MorePages } from '../../app/more-pages.tsx';
import { useTimeOrder } from '../../app/use-sort.ts';
import { ButtonLink } from '../../ui/button.tsx';
import { CardSection } from '../../ui/card.tsx';
import { LongTable } from '../../ui/long-table.tsx';
import type { Column } from '../../ui/table.tsx';
import { RelativeTime } from '../../ui/time.tsx';
import { usePhone } from '../../ui/use-media-query.ts';
import { useListLedgerInfiniteQuery } from './credits.api.ts';
import { useEntryReason } from './use-entry-reason.ts';
import { useFormats } from './use-formats.ts';

/** Every change of what can be spent, and what it was for. */
export function LedgerCard() {
  const { t } = useTranslation('credits');
  return (
    <CardSection
      title={t('ledger.title')}
      actions={
        <ButtonLink size="sm">
          <a href={exportLedger.path} download>
            <Download aria-hidden />
            {t('exportCsv')}
          </a>
        </ButtonLink>
      }
    >
      <p className="-mt-2 mb-3 max-w-[68ch] text-muted">{t('ledger.description')}</p>
      <Entries />
    </CardSection>
  );
}

function Entries() {
  const { t } = useTranslation('credits');
  const columns = useColumns();
  const { sort, order } = useTimeOrder('ledger-sort', 'when');
  const pages = useListLedgerInfiniteQuery(order);
  const { data, error, refetch } = pages;
  if (!data)
    return (
      <NotLoaded
        error={error}
        refetch={refetch}
        label={t('ledger.loading')}
        count={6}
        skeleton="h-8"
        className="flex flex-col gap-3"
      />
    );
  return (
    <>
      <LongTable
        label={t('ledger.title')}
        columns={columns}
        sort={sort}
        rows={data.pages.flatMap(({ entries }) => entries)}
        rowKey={({ id }) => id}
        actionsLabel={t('ledger.actions')}
        actions={(entry) => <WhyLink entry={entry} />}
      />
      <MorePages pages={pages} />
    </>
  );
}

/** Where a piece of work is shown; null where that is not known. */
const WORK_ADDRESS: Readonly<Record<WorkKind, (entry: LedgerEntry, id: string) => string | null>> =
  {
    task: (_, id) => `/tasks?task=${id}`,
    step: ({ sessionId }) => sessionId && `/autonomous?session=${sessionId}`,
  };

/** To the task, or the session of the step, that an entry paid for, or was to pay for. */
function WhyLink({ entry }: { entry: LedgerEntry }) {
  const { t } = useTranslation('credits');
  const { work, kind, sequence } = entry;
  const to = work && WORK_ADDRESS[work.kind](entry, work.id);
  if (!work || !to) return null;
  return (
    <Link
      to={to}
      className="rounded-sm whitespace-nowrap text-accent underline-offset-4 hover:underline"
    >
      {kind === 'charged' ? t('ledger.why') : t(`ledger.work.${work.kind}`)}
      <span className="sr-only"> {t('ledger.ofEntry', { sequence })}</span>
    </Link>
  );
}

function useColumns(): Column<LedgerEntry>[] {
  const { t } = useTranslation('credits');
  const { number, change } = useFormats();
  const reasonOf = useEntryReason();
  const phone = usePhone();
  return [
    {
      key: 'kind',
      header: t('ledger.entry'),
      cell: ({ sequence, kind, at }) => (
        <>
          <span className="font-medium">{t(`ledger.kinds.${kind}`)}</span>{' '}
          <span className="tabular text-xs font-normal text-muted">
            #{number(sequence)}
            {phone && (
              <>
                {' · '}
                <RelativeTime at={at} />
              </>
            )}
          </span>
        </>
      ),
    },
    {
      key: 'for',
      header: t('ledger.for'),
      className: 'w-full max-w-0',
      cell: (entry) => (
        <span className="line-clamp-2 whitespace-normal max-sm:text-right">{reasonOf(entry)}</span>
      ),
    },
    {
      key: 'when',
      header: t('ledger.when'),
      wideOnly: true,
      sortBy: { time: ({ at }) => at },
      cell: ({ at }) => <RelativeTime at={at} />,
    },
    {
      key: 'change',
      header: t('ledger.change'),
      numeric: true,
      cell: ({ availableChange }) => (
        <span className={availableChange === 0 ? 'text-muted' : undefined}>
          {change(availableChange)}
        </span>
      ),
    },
    {
      key: 'balance',
      header: t('ledger.balance'),
      numeric: true,
      cell: ({ available }) => number(available),
    },
  ];
}
