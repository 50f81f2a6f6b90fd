import type { ComponentProps, ReactNode } from 'react';
import { useTranslation } from 'react-i18next';
import { Button } from '../ui/button.tsx';
import { EmptyState } from '../ui/empty-state.tsx';
import { ErrorState } from '../ui/error-state.tsx';
import { ShortId } from '../ui/icon-button.tsx';
import { Loading, Skeletons } from '../ui/loading.tsx';
import { useWhenServerIsBack } from './connection.ts';
import { asProblem, describeProblem } from './problem.ts';

export type Query<Data> = { data?: Data; error?: unknown; refetch: () => unknown };

/** What is shown while a query loads: `count` boxes of the size `skeleton`. */
export type LoadingLayout = {
  /** For screen readers. */
  label: string;
  count: number;
  skeleton?: string;
  className?: string;
};

/** Shown in place of a query's data: that it loads, or why it failed. */
export function NotLoaded({
  query: { error, refetch },
  label,
  count,
  skeleton,
  className = 'flex flex-col gap-3',
}: LoadingLayout & { query: Omit<Query<unknown>, 'data'> }) {
  if (error) return <LoadFailed error={error} onRetry={() => void refetch()} />;
  return (
    <Loading label={label} className={className}>
      <Skeletons count={count} className={skeleton} />
    </Loading>
  );
}

/** What a query found. */
export function Loaded<Data>({
  query,
  loading,
  children,
}: {
  query: Query<Data>;
  loading: LoadingLayout;
  children: (data: Data) => ReactNode;
}) {
  const { data } = query;
  return data === undefined ? <NotLoaded query={query} {...loading} /> : children(data);
}

/** Why a list or page could not be loaded. Tries again when asked, and after an outage. */
export function LoadFailed({ error, onRetry }: { error: unknown; onRetry: () => void }) {
  const { t } = useTranslation();
  useWhenServerIsBack(onRetry);
  const { correlationId } = asProblem(error);
  return (
    <ErrorState
      title={t('error.loadFailed')}
      description={describeProblem(t, error)}
      onRetry={onRetry}
    >
      {/* It finds the failure in the logs. */}
      {correlationId && (
        <p className="mt-3 flex items-center gap-1 text-xs text-muted">
          {t('error.reference')}
          <ShortId id={correlationId} copyLabel={t('error.copyReference')} />
        </p>
      )}
    </ErrorState>
  );
}

type Pages = {
  error?: unknown;
  hasNextPage: boolean;
  isFetchingNextPage: boolean;
  fetchNextPage: () => unknown;
  refetch: () => unknown;
};

/** Below a paged list: a button for the next page, or why that failed to load. */
export function MorePages({ pages }: { pages: Pages }) {
  const { t } = useTranslation('common');
  const { error, hasNextPage, isFetchingNextPage, fetchNextPage, refetch } = pages;
  if (error) return <LoadFailed error={error} onRetry={hasNextPage ? fetchNextPage : refetch} />;
  if (!hasNextPage) return null;
  return (
    <div className="mt-3 flex justify-center">
      <Button pending={isFetchingNextPage} onClick={() => void fetchNextPage()}>
        {t('actions.showMore')}
      </Button>
    </div>
  );
}

type Paged<T> = ComponentProps<typeof MorePages>['pages'] & {
  currentData?: { pages: readonly { entries: readonly T[] }[] } | undefined;
};

/** A paged list of cards, with its loading, error and empty states. */
export function PagedList<T extends { id: string }>({
  pages,
  label,
  loadingLabel,
  cardClassName,
  empty,
  children,
}: {
  pages: Paged<T>;
  label: string;
  loadingLabel: string;
  /** As high as a card, while they load. */
  cardClassName: string;
  empty: ComponentProps<typeof EmptyState>;
  children: (entry: T) => ReactNode;
}) {
  const { currentData } = pages;
  if (!currentData)
    return <NotLoaded query={pages} label={loadingLabel} count={3} skeleton={cardClassName} />;
  const entries = currentData.pages.flatMap((page) => page.entries);
  if (entries.length === 0) return <EmptyState {...empty} />;
  return (
    <div>
      <ul aria-label={label} className="flex flex-col gap-3">
        {entries.map((entry) => (
          <li key={entry.id}>{children(entry)}</li>
        ))}
      </ul>
      <MorePages pages={pages} />
    </div>
  );
}
