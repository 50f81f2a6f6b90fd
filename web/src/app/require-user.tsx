import type { CurrentUser } from '@tallyhand/contracts/features/identity/identity.endpoints';
import { type ReactNode, Suspense, useEffect, useState, useSyncExternalStore } from 'react';
import { Navigate, Outlet } from 'react-router-dom';
import { askForCurrentUser, useGetCurrentUserQuery } from '../features/identity/identity.api.ts';
import { asRead } from './api.ts';
import { endedSignIn } from './ended-sign-in.ts';
import { useLiveChanges } from './live.ts';
import { LoadFailed } from './loaded.tsx';
import { PageSpinner } from './page-boundary.tsx';
import { part } from './part.ts';
import { asProblem } from './problem.ts';
import { store } from './with-store.tsx';

/** What was asked for while the page was on its way is not asked for again when it comes. */
const FRESH_SECONDS = 5;

/** To be called while the words of a page are still on their way. */
export const askAhead = () => void store.dispatch(askForCurrentUser());

/** Guards the pages that need a sign-in: a spinner until it is known, /auth without one. */
export function RequireUser() {
  const { data, error, refetch } = useGetCurrentUserQuery(undefined, {
    ...asRead<CurrentUser>(),
    refetchOnMountOrArgChange: FRESH_SECONDS,
  });
  // The page stays, with the typed text, when the sign-in ends.
  if (data) {
    return (
      <SignedIn user={data}>
        <Outlet />
      </SignedIn>
    );
  }
  if (error && asProblem(error).status === 401) return <Navigate to="/auth" replace />;
  if (error) return <LoadFailed error={error} onRetry={refetch} />;
  return <PageSpinner />;
}

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
