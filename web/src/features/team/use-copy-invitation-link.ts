import { useTranslation } from 'react-i18next';
import { useAnnounce } from '../../app/announce.ts';
import { showToast } from '../../ui/toast.ts';
import { useGetInvitationLinkQuery, useRenewInvitationLinkMutation } from './team.api.ts';

/** Copies the reusable link, and makes one first where there is none or it has expired. */
export function useCopyInvitationLink() {
  const { t } = useTranslation('team');
  const { data: link, refetch } = useGetInvitationLinkQuery();
  const announce = useAnnounce();
  const [renew, { isLoading: pending }] = useRenewInvitationLinkMutation();

  const getUsable = async () => {
    const known = link === undefined ? (await refetch()).data : link;
    if (known && Date.parse(known.expiresAt) > Date.now()) return { data: known };
    return renew();
  };
  const copy = async () => {
    if (pending) return;
    const { data: usable } = await announce(getUsable(), { failed: t('toasts.linkFailed') });
    if (!usable) return;
    const { url } = usable;
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
