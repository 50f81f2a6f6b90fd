import type { ReactNode } from 'react';
import { Loading, Skeletons } from '../ui/skeleton.tsx';
import { LoadFailed } from './load-failed.tsx';

export type Query<Data> = { data?: Data; error?: unknown; refetch: () => unknown };

/** What is shown while a query is on its way: `count` boxes of the size `skeleton`. */
export type LoadingLayout = {
  label: string;
  count: number;
  skeleton?: string;
  className?: string;
};

/** What a query found; until then that it loads, or why it failed. */
export function Loaded<Data>({
  query: { data, error, refetch },
  loading: { label, count, skeleton, className },
  children,
}: {
  query: Query<Data>;
  loading: LoadingLayout;
  children: (data: Data) => ReactNode;
}) {
  if (data !== undefined) return children(data);
  if (error) return <LoadFailed error={error} onRetry={() => void refetch()} />;
  return (
    <Loading label={label} className={className}>
      <Skeletons count={count} className={skeleton} />
    </Loading>
  );
}
