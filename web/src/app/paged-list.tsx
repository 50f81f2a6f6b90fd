import type { ComponentProps, ReactNode } from 'react';
import { Loading, Skeletons } from '../ui/skeleton.tsx';
import { EmptyState } from '../ui/states.tsx';
import { LoadFailed } from './load-failed.tsx';
import { MorePages } from './more-pages.tsx';

type Paged<T> = ComponentProps<typeof MorePages>['pages'] & {
  currentData?: { pages: readonly { entries: readonly T[] }[] } | undefined;
};

/** A list of cards that comes by pages: while it loads, where it failed, where it is empty, and more. */
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
  const { currentData, error, refetch } = pages;
  if (!currentData && error) return <LoadFailed error={error} onRetry={refetch} />;
  if (!currentData) {
    return (
      <Loading label={loadingLabel} className="flex flex-col gap-3">
        <Skeletons count={3} className={cardClassName} />
      </Loading>
    );
  }
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
