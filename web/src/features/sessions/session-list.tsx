import { MonitorPlay, Search } from 'lucide-react';
import { useTranslation } from 'react-i18next';
import { LoadFailed } from '../../app/load-failed.tsx';
import { MorePages } from '../../app/more-pages.tsx';
import { CardSection } from '../../ui/card.tsx';
import { Loading, Skeleton, Skeletons } from '../../ui/skeleton.tsx';
import { EmptyState } from '../../ui/states.tsx';
import type { SessionFilter } from './session-filter.ts';
import { SessionRow } from './session-row.tsx';
import { useFindSessionsInfiniteQuery } from './sessions.api.ts';
import type { Open } from './use-session-address.ts';

/** Changes are told; looking so often is for what was not. */
const POLL_MS = 5_000;
const SKELETONS = 4;

type ListProps = { filter: SessionFilter; chosen: string | undefined; open: Open };

export function SessionList(props: ListProps) {
  const { t } = useTranslation('sessions');
  return (
    <CardSection title={t('list.title')} className="min-w-0">
      <Sessions {...props} />
    </CardSection>
  );
}

function Sessions({ filter, chosen, open }: ListProps) {
  const { t } = useTranslation('sessions');
  const pages = useFindSessionsInfiniteQuery(filter, { pollingInterval: POLL_MS });
  const { currentData, error, refetch } = pages;
  if (!currentData && error) return <LoadFailed error={error} onRetry={refetch} />;
  if (!currentData) {
    return (
      <Loading label={t('list.loading')} className="-mx-4 -mb-4">
        {Array.from({ length: SKELETONS }, (_, index) => index).map((index) => (
          <div key={index} className="flex flex-col gap-3 border-t border-line px-4 py-4">
            <Skeleton className="h-6 w-24" />
            <Skeletons count={2} />
            <Skeleton className="h-8 w-36" />
          </div>
        ))}
      </Loading>
    );
  }
  const sessions = currentData.pages.flatMap((page) => page.entries);
  if (sessions.length === 0) {
    const isFiltered = Object.keys(filter).length > 0;
    return (
      <EmptyState
        icon={isFiltered ? Search : MonitorPlay}
        title={isFiltered ? t('list.noMatch') : t('list.empty')}
        description={isFiltered ? t('list.noMatchDescription') : t('list.emptyDescription')}
      />
    );
  }
  return (
    <>
      <ul aria-label={t('list.title')} className="-mx-4 -mb-4 border-t border-line">
        {sessions.map((session) => (
          <SessionRow
            key={session.id}
            session={session}
            chosen={session.id === chosen}
            open={open}
          />
        ))}
      </ul>
      {(pages.hasNextPage || pages.error !== undefined) && (
        <div className="-mx-4 mt-4 border-t border-line px-4 pt-1">
          <MorePages pages={pages} />
        </div>
      )}
    </>
  );
}
