import { useEffect, useState } from 'react';
import { useListExportsQuery } from './audit-exports.api.ts';

const POLL_MS = 1_000;

/** The exports that can be downloaded; asked for again and again while one of them is made. */
export function useExports() {
  const [following, setFollowing] = useState(false);
  const exports = useListExportsQuery(undefined, {
    refetchOnMountOrArgChange: true,
    pollingInterval: following ? POLL_MS : 0,
  });
  const { currentData, error } = exports;
  const isOpen = !error && (currentData ?? []).some(isUnderWay);
  useEffect(() => setFollowing(isOpen), [isOpen]);
  return exports;
}

export const isUnderWay = ({ status }: { readonly status: string }) =>
  status === 'queued' || status === 'running';
