import { useTranslation } from 'react-i18next';
import { useAnnounce } from '../../app/announce.ts';
import { remember } from '../../ui/remembered.ts';
import { forgetChoices } from '../search/recent-choices.ts';
import { useSignOutMutation } from './identity.api.ts';

/** Ends the sign-in and loads another page, which clears all that was cached. */
export function useSignOut(next = '/') {
  const { t } = useTranslation();
  const announce = useAnnounce();
  const [send, { isLoading, isSuccess }] = useSignOutMutation();
  const signOut = async () => {
    const { error } = await announce(send(), { failed: t('shell.signOutFailed') });
    if (error) return;
    forgetChoices();
    remember('signedIn', null);
    window.location.assign(next);
  };
  return { signOut, pending: isLoading || isSuccess };
}
