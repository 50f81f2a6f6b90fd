import { type LucideIcon, Search } from 'lucide-react';
import type { ReactNode } from 'react';
import { LoadFailed } from '../../app/load-failed.tsx';
import { Loading, Skeletons } from '../../ui/skeleton.tsx';
import { EmptyState } from '../../ui/states.tsx';
import { matchingArticles } from './matching-articles.ts';

type Listed = { id: string; title: string; tags: readonly string[] };

export type KnowledgeGridProps<T> = {
  list: { data?: readonly T[]; error?: unknown; refetch: () => void };
  /** The words that are searched for. */
  query: string;
  loading: string;
  empty: { icon: LucideIcon; title: string; description: string };
  noMatch: { title: string; description: string };
  children: (item: T) => ReactNode;
};

/** Articles or playbooks as cards, or why there are none. */
export function KnowledgeGrid<T extends Listed>(props: KnowledgeGridProps<T>) {
  const { list, query, loading, empty, noMatch, children } = props;
  const { data, error, refetch } = list;
  const grid = 'grid gap-4 sm:grid-cols-2 lg:grid-cols-3';
  if (!data && error) return <LoadFailed error={error} onRetry={refetch} />;
  if (!data) {
    return (
      <Loading label={loading} className={grid}>
        <Skeletons count={6} className="h-40 rounded-lg" />
      </Loading>
    );
  }
  if (data.length === 0) return <EmptyState {...empty} />;
  const found = matchingArticles(data, query);
  if (found.length === 0) return <EmptyState icon={Search} {...noMatch} />;
  return (
    <ul className={grid}>
      {found.map((item) => (
        <li key={item.id} className="long-list-card min-w-0">
          {children(item)}
        </li>
      ))}
    </ul>
  );
}
