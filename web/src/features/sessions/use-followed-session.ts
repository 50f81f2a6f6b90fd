import { useEffect, useState } from 'react';
import { asProblem } from '../../app/problem.ts';
import { isOpen } from './session-filter.ts';
import { useGetSessionQuery } from './sessions.api.ts';

/** Live changes announce most updates; polling finds the rest. */
export const FOLLOW_POLL_MS = 2_000;

/** A session and its steps, looked at until it has ended. */
export function useFollowedSession(id: string | undefined) {
  const [hasEnded, setHasEnded] = useState(false);
  const { currentData, error, refetch } = useGetSessionQuery(id ?? '', {
    skip: id === undefined,
    pollingInterval: hasEnded ? 0 : FOLLOW_POLL_MS,
  });
  const isEnded = currentData !== undefined && !isOpen(currentData.session);
  useEffect(() => setHasEnded(isEnded), [isEnded]);
  // An address that is no id is refused with 422, which means the same to a person.
  const isMissing = error !== undefined && [404, 422].includes(asProblem(error).status);
  return { detail: currentData, error, refetch, isMissing };
}
