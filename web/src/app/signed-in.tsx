import type { CurrentUser } from '@tallyhand/contracts/features/identity/identity.endpoints';
import { type ReactNode, Suspense, useEffect, useState, useSyncExternalStore } from 'react';
import { endedSignIn } from './ended-sign-in.ts';
import { useLiveChanges } from './live.ts';
import { part } from './part.ts';

const SignInAgain = part(
  [],
  ['identity', 'problems', 'validation'],
  async () => (await import('../features/identity/sign-in-again.tsx')).SignInAgain,
);

/** What one person sees: it follows the server, and asks for the sign-in when that has ended. */
export function SignedIn({ user, children }: { user: CurrentUser; children: ReactNode }) {
  useLiveChanges();
  useEffect(() => endedSignIn.watch(), []);
  const isEnded = useSyncExternalStore(endedSignIn.subscribe, endedSignIn.isEnded);
  const [firstId] = useState(user.id);
  const isAnother = user.id !== firstId;
  useEffect(() => {
    // Another user has signed in, in another tab: this content is not theirs.
    if (isAnother) window.location.reload();
  }, [isAnother]);
  return (
    <>
      {children}
      {isEnded && (
        <Suspense>
          <SignInAgain user={user} />
        </Suspense>
      )}
    </>
  );
}
