import { useEffect, useState } from 'react';
import { useTranslation } from 'react-i18next';
import { useAnnounce } from '../../app/announce.ts';
import { useGetVerificationQuery, useStartVerificationMutation } from './credits.api.ts';

const POLL_MS = 1_000;
/** Ten minutes; a check that takes longer is seen when the page is opened again. */
const POLLS_MAX = 600;

/** The newest check of the ledger: starts one, and follows one that is under way to its end. */
export function useVerification() {
  const { t } = useTranslation('credits');
  const [following, setFollowing] = useState(true);
  const [polls, setPolls] = useState(0);
  const announce = useAnnounce();
  const [start, starting] = useStartVerificationMutation();
  const {
    data: verification,
    error,
    refetch,
    fulfilledTimeStamp,
  } = useGetVerificationQuery(undefined, {
    refetchOnMountOrArgChange: true,
    pollingInterval: following ? POLL_MS : 0,
  });
  const open = verification?.status === 'running' && polls < POLLS_MAX;
  useEffect(() => {
    if (fulfilledTimeStamp !== undefined) setPolls((count) => count + 1);
  }, [fulfilledTimeStamp]);
  useEffect(() => setFollowing(open), [open]);

  const verify = async () => {
    setPolls(0);
    const { error: refusal } = await announce(start(), { failed: t('toasts.verifyFailed') });
    if (!refusal) void refetch();
  };
  return { verification, error, refetch, running: open || starting.isLoading, verify };
}
