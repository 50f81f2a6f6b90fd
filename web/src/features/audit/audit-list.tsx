import type { AuditEntry } from '@tallyhand/contracts/features/audit/audit.endpoints';
import { ScrollText, Search } from 'lucide-react';
import { useId, useState } from 'react';
import { useTranslation } from 'react-i18next';
import { Link } from 'react-router-dom';
import { LoadFailed } from '../../app/load-failed.tsx';
import { MorePages } from '../../app/more-pages.tsx';
import { Badge } from '../../ui/badge.tsx';
import { CardSection } from '../../ui/card.tsx';
import { cx } from '../../ui/cx.ts';
import { Loading, Skeletons } from '../../ui/skeleton.tsx';
import { EmptyState } from '../../ui/states.tsx';
import { RelativeTime } from '../../ui/time.tsx';
import { AuditEntryDetails } from './audit-entry-details.tsx';
import { useFindAuditEntriesInfiniteQuery } from './audit-log.api.ts';
import { addressOf } from './audited-address.ts';
import { DetailsButton } from './details-button.tsx';
import type { AuditFilterState } from './use-audit-filter.ts';
import { useAuditWords } from './use-audit-words.ts';

type Change = AuditFilterState['change'];

/** The entries that a filter finds, newest first, page by page. */
export function AuditList({ filter, change, live }: AuditFilterState & { live: boolean }) {
  const { t } = useTranslation('audit');
  const pages = useFindAuditEntriesInfiniteQuery(
    { filter, live },
    { refetchOnMountOrArgChange: true },
  );
  const { currentData, error, refetch } = pages;
  if (!currentData && error) return <LoadFailed error={error} onRetry={refetch} />;
  if (!currentData) {
    return (
      <Loading label={t('log.loading')} className="flex flex-col gap-3">
        <Skeletons count={10} className="h-8" />
      </Loading>
    );
  }
  const entries = currentData.pages.flatMap((page) => page.entries);
  return (
    <CardSection title={t('log.entries')}>
      {entries.length === 0 && <NoEntries none={Object.keys(filter).length === 0} />}
      <ol aria-label={t('log.entries')} className="flex flex-col divide-y divide-line">
        {entries.map((entry) => (
          <Entry key={entry.sequence} entry={entry} change={change} />
        ))}
      </ol>
      <MorePages pages={pages} />
    </CardSection>
  );
}

function NoEntries({ none }: { none: boolean }) {
  const { t } = useTranslation('audit');
  return (
    <EmptyState
      icon={none ? ScrollText : Search}
      title={t('log.empty.title')}
      description={none ? t('log.empty.description') : t('log.empty.noMatch')}
    />
  );
}

const COLUMNS = cx(
  'grid grid-cols-[minmax(0,1fr)_auto] items-center gap-x-4 gap-y-1 py-2',
  'md:grid-cols-[7.5rem_9rem_minmax(0,1fr)_8rem_auto]',
);

function Entry({ entry, change }: { entry: AuditEntry; change: Change }) {
  const { t } = useTranslation('audit');
  const words = useAuditWords();
  const [isOpen, setOpen] = useState(false);
  const details = useId();
  const { at, actor, type, count, address } = entry;
  return (
    <li>
      <div className={COLUMNS}>
        <span className="text-xs text-muted max-md:order-3 md:text-sm">
          <RelativeTime at={at} />
          <span className="md:hidden"> · {words.actor(actor)}</span>
        </span>
        <span className="truncate max-md:hidden" title={words.actor(actor)}>
          {words.actor(actor)}
        </span>
        <span className="flex min-w-0 flex-wrap items-center gap-x-2">
          <span className="font-medium">{words.event(type)}</span>
          {count > 1 && <Badge>{t('log.times', { count })}</Badge>}
          <ObjectLink object={entry.object} />
        </span>
        <span className="truncate font-mono text-xs text-muted max-md:hidden">{address}</span>
        <DetailsButton
          label={t('log.details', { sequence: entry.sequence })}
          details={details}
          isOpen={isOpen}
          setOpen={setOpen}
        />
      </div>
      {isOpen && (
        <div id={details} className="mb-3 rounded-md bg-sunken p-4">
          <AuditEntryDetails entry={entry} change={change} />
        </div>
      )}
    </li>
  );
}

function ObjectLink({ object }: { object: AuditEntry['object'] }) {
  const name = useAuditWords().object(object);
  const address = addressOf(object);
  if (!address) return <span className="min-w-0 truncate text-muted">{name}</span>;
  return (
    <Link
      to={address}
      title={name}
      className="min-w-0 truncate rounded-sm text-accent underline-offset-4 hover:underline"
    >
      {name}
    </Link>
  );
}
