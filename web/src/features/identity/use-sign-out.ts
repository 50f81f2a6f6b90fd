import { useTranslation } from 'react-i18next';
import { describeProblem } from '../../app/problem.ts';
import { showToast } from '../../ui/toast.ts';
import { forgetChoices } from '../search/recent-choices.ts';
import { useSignOutMutation } from './identity.api.ts';

/** Ends the sign-in and loads another page, which clears all that was cached. */
export function useSignOut(next = '/') {
  const { t } = useTranslation('identity');
  const [send, { isLoading, isSuccess }] = useSignOutMutation();
  const signOut = async () => {
    const { error } = await send();
    if (error) {
      showToast({
        variant: 'destructive',
        title: t('toasts.logoutFailed'),
        description: describeProblem(t, error),
      });
    } else {
      forgetChoices();
      window.location.assign(next);
    }
  };
  return { signOut, pending: isLoading || isSuccess };
}
