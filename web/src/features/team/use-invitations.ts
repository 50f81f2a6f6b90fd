import { useState } from 'react';
import { useListInvitationsQuery } from './team.api.ts';

const LOOK_AGAIN_MS = 2_000;

/** The invitations; while the mail of one is on its way, which no event tells, they are read again. */
export function useInvitations() {
  const [isUnderWay, setUnderWay] = useState(false);
  const { data, error, refetch } = useListInvitationsQuery(undefined, {
    pollingInterval: isUnderWay ? LOOK_AGAIN_MS : 0,
    skipPollingIfUnfocused: true,
  });
  const isNow = data?.some(({ mail }) => mail?.state === 'waiting' || mail?.state === 'sending');
  if (data && isNow !== isUnderWay) setUnderWay(isNow === true);
  return { invitations: data, error, refetch };
}
