import type { CurrentUser } from '@tallyhand/contracts/features/identity/identity.endpoints';
import { useEffect } from 'react';
import { useTranslation } from 'react-i18next';
import { endedSignIn } from '../../app/ended-sign-in.ts';
import { Button } from '../../ui/button.tsx';
import { Dialog, DialogBody } from '../../ui/dialog.tsx';
import { SignInForm } from './sign-in-form.tsx';

/** Whose sign-in it is now, should it have come back in another tab; null while there is none. */
async function signedInId(signal: AbortSignal): Promise<string | null> {
  const response = await fetch('/api/user', { signal, credentials: 'same-origin' });
  return response.ok ? ((await response.json()) as CurrentUser).id : null;
}

function goOnAs(id: string, user: CurrentUser) {
  // Nothing that is shown or typed here is another person's.
  if (id === user.id) endedSignIn.signedIn();
  else window.location.reload();
}

/** Asks the member for the password in place: no typed text is lost. */
export function SignInAgain({ user }: { user: CurrentUser }) {
  const { t } = useTranslation('identity');
  useEffect(() => {
    const end = new AbortController();
    const look = async () => {
      const id = await signedInId(end.signal).catch(() => null);
      if (id !== null) goOnAs(id, user);
    };
    window.addEventListener('focus', look, { signal: end.signal });
    return () => end.abort();
  }, [user]);
  return (
    <Dialog
      close={endedSignIn.giveUp}
      title={t('again.title')}
      description={t('again.description')}
    >
      <DialogBody>
        <SignInForm email={user.email} onSignedIn={({ id }) => goOnAs(id, user)} />
        <Button variant="ghost" onClick={() => window.location.assign('/auth')}>
          {t('again.another')}
        </Button>
      </DialogBody>
    </Dialog>
  );
}
