import type { ComponentProps, ReactNode } from 'react';
import { EmptyState } from '../ui/states.tsx';
import { NotLoaded } from './loaded.tsx';
import { MorePages } from './more-pages.tsx';

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
  const { currentData, error, refetch } = pages;
  if (!currentData) {
    const layout = { count: 3, skeleton: cardClassName, className: 'flex flex-col gap-3' };
    return <NotLoaded error={error} refetch={refetch} label={loadingLabel} {...layout} />;
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
