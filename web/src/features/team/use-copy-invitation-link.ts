import { useTranslation } from 'react-i18next';
import { describeProblem } from '../../app/problem.ts';
import { showToast } from '../../ui/toast.ts';
import { useGetInvitationLinkQuery, useRenewInvitationLinkMutation } from './team.api.ts';

/** Copies the reusable link, and makes one first where there is none or it has expired. */
export function useCopyInvitationLink() {
  const { t } = useTranslation('team');
  const { data: link, refetch } = useGetInvitationLinkQuery();
  const [renew, { isLoading: pending }] = useRenewInvitationLinkMutation();

  const usable = async () => {
    const known = link === undefined ? (await refetch()).data : link;
    if (known && Date.parse(known.expiresAt) > Date.now()) return known;
    return renew().unwrap();
  };
  const copy = async () => {
    if (pending) return;
    let url: string;
    try {
      ({ url } = await usable());
    } catch (error) {
      showToast({
        variant: 'destructive',
        title: t('toasts.linkFailed'),
        description: describeProblem(t, error),
      });
      return;
    }
    try {
      await navigator.clipboard.writeText(url);
      showToast({ title: t('toasts.linkCopied') });
    } catch {
      // Without permission the person copies the link by hand: it stands in the card.
      showToast({ variant: 'destructive', title: t('toasts.copyFailed'), description: url });
    }
  };
  return { copy, pending };
}
