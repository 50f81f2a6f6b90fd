import type { Order } from '@tallyhand/contracts/kernel/lists';
import { ScrollText } from 'lucide-react';
import { useTranslation } from 'react-i18next';
import { NothingFound } from '../../app/list-filters.tsx';
import { MorePages, NotLoaded } from '../../app/loaded.tsx';
import { useOpenRow, useRowSteps } from '../../app/use-open-row.ts';
import { Badge } from '../../ui/badge.tsx';
import { CardSection } from '../../ui/card.tsx';
import { EmptyState } from '../../ui/empty-state.tsx';
import { LongTable } from '../../ui/long-table.tsx';
import type { TableSort } from '../../ui/sort.ts';
import type { Column } from '../../ui/table.tsx';
import { RelativeTime } from '../../ui/time.tsx';
import type { AuditFilterState } from './audit-filter.ts';
import { type AuditGroup, groupsOf, headOf, timeOf } from './audit-groups.ts';
import { useFindAuditEntriesInfiniteQuery } from './audit-log.api.ts';
import { AuditPanel } from './audit-panel.tsx';
import { useAuditWords } from './audit-words.ts';
import { ObjectLink } from './object-link.tsx';

type AuditListProps = AuditFilterState & { sort: TableSort; order: Order; live: boolean };

/** The entries that a filter finds, page by page, those of one request together. New for each filter. */
export function AuditList({ filter, change, clear, sort, order, live }: AuditListProps) {
  const { t } = useTranslation('audit');
  const pages = useFindAuditEntriesInfiniteQuery(
    { filter, order, live },
    { refetchOnMountOrArgChange: true },
  );
  const opened = useOpenRow('request');
  const columns = useColumns();
  const words = useAuditWords();
  // Not `currentData`: while the other order comes, the head that was clicked stays.
  const groups = groupsOf(pages.data?.pages.flatMap(({ entries }) => entries) ?? []);
  const steps = useRowSteps(
    opened,
    groups.map(({ id }) => id),
    pages,
  );
  if (!pages.data)
    return <NotLoaded query={pages} label={t('log.loading')} count={10} skeleton="h-8" />;
  return (
    <CardSection title={t('log.entries')}>
      {groups.length === 0 && <NoEntries none={Object.keys(filter).length === 0} clear={clear} />}
      {groups.length > 0 && (
        <LongTable
          label={t('log.entries')}
          name="audit"
          columns={columns}
          sort={sort}
          rows={groups}
          rowKey={({ id }) => id}
          opening={{
            label: (group) => {
              const { type, sequence } = headOf(group);
              return t('log.open', { event: words.event(type), sequence });
            },
            show: ({ id }) => opened.show(id),
            current: opened.key,
          }}
        />
      )}
      <MorePages pages={pages} />
      {opened.key && (
        <AuditPanel
          key={opened.key}
          id={opened.key}
          listed={groups.find(({ id }) => id === opened.key)}
          change={change}
          steps={steps}
          close={opened.close}
        />
      )}
    </CardSection>
  );
}

function NoEntries({ none, clear }: { none: boolean; clear: () => void }) {
  const { t } = useTranslation('audit');
  const title = t('log.empty.title');
  if (!none)
    return <NothingFound title={title} description={t('log.empty.noMatch')} clear={clear} />;
  return <EmptyState icon={ScrollText} title={title} description={t('log.empty.description')} />;
}

function useColumns(): Column<AuditGroup>[] {
  const { t } = useTranslation('audit');
  const words = useAuditWords();
  return [
    {
      key: 'event',
      header: t('log.kind'),
      className: 'w-full max-w-0',
      cell: (group) => <Head group={group} />,
    },
    {
      key: 'actor',
      header: t('log.actor'),
      className: 'max-w-40 truncate',
      cell: (group) => {
        const actor = words.actor(headOf(group).actor);
        return <span title={actor}>{actor}</span>;
      },
    },
    {
      key: 'address',
      header: t('log.address'),
      className: 'max-w-36 truncate',
      wideOnly: true,
      cell: (group) => (
        <span className="font-mono text-xs text-muted">{headOf(group).address ?? '–'}</span>
      ),
    },
    {
      key: 'time',
      header: t('log.time'),
      sortBy: { time: timeOf },
      cell: (group) => <RelativeTime at={timeOf(group) ?? ''} />,
    },
  ];
}

/** What the request was, what it was about, and how much else it caused. */
function Head({ group }: { group: AuditGroup }) {
  const { t } = useTranslation('audit');
  const words = useAuditWords();
  const { type, count, object } = headOf(group);
  const others = group.entries.length - 1;
  return (
    <span className="flex min-w-0 items-center gap-2 max-sm:flex-wrap">
      <span className="font-medium whitespace-nowrap max-sm:whitespace-normal">
        {words.event(type)}
      </span>
      {count > 1 && <Badge>{t('log.times', { count })}</Badge>}
      <ObjectLink object={object} />
      {others > 0 && (
        <span className="shrink-0 text-xs text-muted">{t('log.others', { count: others })}</span>
      )}
    </span>
  );
}
