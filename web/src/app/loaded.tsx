import type { ReactNode } from 'react';
import { Loading, Skeletons } from '../ui/skeleton.tsx';
import { LoadFailed } from './load-failed.tsx';

export type Query<Data> = { data?: Data; error?: unknown; refetch: () => unknown };

/** What is shown while a query is on its way: `count` boxes of the size `skeleton`. */
export type LoadingLayout = {
  /** Read out to those who can't see it. */
  label: string;
  count: number;
  skeleton?: string;
  className?: string;
};

/** Stands in for what a query has not found: that it loads, or why it failed. */
export function NotLoaded({
  error,
  refetch,
  label,
  count,
  skeleton,
  className,
}: Omit<Query<unknown>, 'data'> & LoadingLayout) {
  if (error) return <LoadFailed error={error} onRetry={() => void refetch()} />;
  return (
    <Loading label={label} className={className}>
      <Skeletons count={count} className={skeleton} />
    </Loading>
  );
}

/** What a query found. */
export function Loaded<Data>({
  query: { data, error, refetch },
  loading,
  children,
}: {
  query: Query<Data>;
  loading: LoadingLayout;
  children: (data: Data) => ReactNode;
}) {
  if (data !== undefined) return children(data);
  return <NotLoaded error={error} refetch={refetch} {...loading} />;
}
