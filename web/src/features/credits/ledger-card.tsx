import {
  exportLedger,
  type LedgerGroup,
} from '@tallyhand/contracts/features/credits/credits.endpoints';
import type { Order } from '@tallyhand/contracts/kernel/lists';
import { Download } from 'lucide-react';
import { useState } from 'react';
import { useTranslation } from 'react-i18next';
import { MorePages, NotLoaded } from '../../app/loaded.tsx';
import { type OpenRow, useOpenRow } from '../../app/use-open-row.ts';
import { useTimeOrder } from '../../app/use-sort.ts';
import { Button, ButtonLink } from '../../ui/button.tsx';
import { CardSection } from '../../ui/card.tsx';
import { LongTable } from '../../ui/long-table.tsx';
import type { Column } from '../../ui/table.tsx';
import { RelativeTime } from '../../ui/time.tsx';
import { usePhone } from '../../ui/use-media-query.ts';
import { useListLedgerInfiniteQuery } from './credits.api.ts';
import { useEntryReason, WorkLink } from './ledger-entry.tsx';
import { changeOf, firstOf, groupWith, keyOf, lastOf, outcomeOf } from './ledger-groups.ts';
import { LedgerPanel } from './ledger-panel.tsx';
import { useFormats } from './use-formats.ts';

/**
 * Every change of what can be spent, and what it was for. `?entry=NUMBER` opens the group of an entry,
 * `?ledger-sort=` sorts.
 */
export function LedgerCard() {
  const { t } = useTranslation('credits');
  return (
    <CardSection
      title={t('ledger.title')}
      actions={
        <ButtonLink size="sm" icon={Download} href={exportLedger.path} download>
          {' '}
          {t('exportCsv')}
        </ButtonLink>
      }
    >
      <p className="-mt-2 mb-3 max-w-[68ch] text-muted">{t('ledger.description')}</p>
      <Groups />
    </CardSection>
  );
}

function Groups() {
  const { t } = useTranslation('credits');
  const columns = useColumns();
  const { sort, order } = useTimeOrder('ledger-sort', 'when');
  const opened = useOpenRow('entry');
  const { pages, groups, start, showAll } = useLedgerPages(order, opened);
  if (!groups)
    return <NotLoaded query={pages} label={t('ledger.loading')} count={6} skeleton="h-8" />;
  const open = groupWith(groups, opened.key);
  return (
    <>
      {start && <StartsAt sequence={start} showAll={showAll} />}
      <LongTable
        label={t('ledger.title')}
        name="ledger"
        columns={columns}
        sort={sort}
        rows={groups}
        rowKey={keyOf}
        actionsLabel={t('ledger.actions')}
        actions={(group) => <WorkLink entry={outcomeOf(group)} />}
        opening={{
          label: (group) => t('ledger.open', { sequence: keyOf(group) }),
          show: (group) => opened.show(keyOf(group)),
          current: open && keyOf(open),
        }}
      />
      <MorePages pages={pages} />
      {opened.key && (
        <LedgerPanel group={open} opened={opened} keys={groups.map(keyOf)} pages={pages} />
      )}
    </>
  );
}

/** Where the list begins at an entry to which a link led. */
function StartsAt({ sequence, showAll }: { sequence: string; showAll: () => void }) {
  const { t } = useTranslation('credits');
  return (
    <div className="mb-3 flex flex-wrap items-center gap-x-3 gap-y-1 rounded-md bg-sunken py-1 pr-1 pl-3">
      <p className="min-w-0 flex-1">{t('ledger.startsAt', { sequence })}</p>
      <Button size="sm" variant="ghost" onClick={showAll}>
        {t('ledger.showAll')}
      </Button>
    </div>
  );
}

function useColumns(): Column<LedgerGroup>[] {
  const { t } = useTranslation('credits');
  const { number, change } = useFormats();
  const reasonOf = useEntryReason();
  const phone = usePhone();
  return [
    {
      key: 'kind',
      header: t('ledger.entry'),
      cell: (group) => (
        <>
          <span className="font-medium">{t(`ledger.kinds.${outcomeOf(group).kind}`)}</span>{' '}
          <span className="tabular text-xs font-normal text-muted">
            <Sequences group={group} />
            {phone && (
              <>
                {' · '}
                <RelativeTime at={group.createdAt} />
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
      cell: (group) => (
        <span className="line-clamp-2 whitespace-normal max-sm:text-right">
          {reasonOf(outcomeOf(group))}
        </span>
      ),
    },
    {
      key: 'when',
      header: t('ledger.when'),
      wideOnly: true,
      sortBy: { time: ({ createdAt }) => createdAt },
      cell: ({ createdAt }) => <RelativeTime at={createdAt} />,
    },
    {
      key: 'change',
      header: t('ledger.change'),
      numeric: true,
      cell: (group) => (
        <span className={changeOf(group) === 0 ? 'text-muted' : undefined}>
          {change(changeOf(group))}
        </span>
      ),
    },
    {
      key: 'balance',
      header: t('ledger.balance'),
      numeric: true,
      cell: (group) => number(lastOf(group).available),
    },
  ];
}

/** The numbers of a group's entries: the first and the last, where there are more. */
function Sequences({ group }: { group: LedgerGroup }) {
  const { number } = useFormats();
  const [first, last] = [firstOf(group).sequence, lastOf(group).sequence];
  if (first === last) return `#${number(first)}`;
  return `#${number(first)}${group.entries.length > 2 ? ' … ' : ', '}#${number(last)}`;
}

const SEQUENCE = /^[1-9]\d{0,14}$/;

/**
 * The groups of the ledger, page by page. If the first page does not have the open entry, the list
 * starts with the group of that entry, which is then `start`.
 */
function useLedgerPages(order: Order, opened: OpenRow) {
  const [wanted, setWanted] = useState<string>();
  // Until the address no longer has it, the entry that the user left must not be looked for again.
  const [left, setLeft] = useState<string>();
  const whole = useListLedgerInfiniteQuery({ order });
  const query = { order, ...(wanted && { entry: wanted }) };
  const part = useListLedgerInfiniteQuery(query, { skip: !wanted });
  const isPart = wanted !== undefined && part.currentData?.pages[0]?.entries.length !== 0;
  const pages = isPart ? part : whole;
  const all = whole.data?.pages.flatMap(({ entries }) => entries);
  const groups = isPart ? part.currentData?.pages.flatMap(({ entries }) => entries) : all;
  const { key } = opened;
  const isElsewhere = key && SEQUENCE.test(key) && groups && !groupWith(groups, key);
  if (!key && left !== undefined) setLeft(undefined);
  if (isElsewhere && key !== left && wanted !== key)
    setWanted(all && groupWith(all, key) ? undefined : key);
  return {
    pages,
    groups,
    start: isPart ? wanted : undefined,
    showAll: () => {
      setWanted(undefined);
      setLeft(key);
      opened.close();
    },
  };
}
