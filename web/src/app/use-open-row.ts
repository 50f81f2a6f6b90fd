import { useEffect, useEffectEvent } from 'react';
import type { RowSteps } from '../ui/side-panel.tsx';
import { useAddress } from './use-address.ts';

export type OpenRow = {
  /** Undefined if none is open. */
  key: string | undefined;
  show: (key: string) => void;
  /** Shows another row in its place: Back leads to the list, not through the rows in between. */
  step: (key: string) => void;
  close: () => void;
};

/** The row that is open in a panel beside its list, kept in the address under this name. */
export function useOpenRow(name: string): OpenRow {
  const { search, change } = useAddress();
  return {
    key: search.get(name) || undefined,
    show: (key) => change({ [name]: key }, 'chosen'),
    step: (key) => change({ [name]: key }, 'typed'),
    close: () => change({ [name]: '' }, 'chosen'),
  };
}

type Pages = {
  error?: unknown;
  hasNextPage: boolean;
  isFetchingNextPage: boolean;
  fetchNextPage: () => unknown;
};

/** The ways to the rows beside the open one. At the last loaded row the next page is loaded. */
export function useRowSteps(
  { key, step }: OpenRow,
  keys: readonly string[],
  { error, hasNextPage, isFetchingNextPage, fetchNextPage }: Pages,
): RowSteps {
  const at = key === undefined ? -1 : keys.indexOf(key);
  const isLast = at !== -1 && at === keys.length - 1;
  const loadMore = useEffectEvent(() => void fetchNextPage());
  const needsMore = isLast && hasNextPage && !isFetchingNextPage && !error;
  useEffect(() => {
    if (needsMore) loadMore();
  }, [needsMore]);
  const to = (neighbor: string | undefined) =>
    neighbor === undefined ? undefined : () => step(neighbor);
  return { previous: to(keys[at - 1]), next: at === -1 ? undefined : to(keys[at + 1]) };
}
