import type { CurrentUser } from '@tallyhand/contracts/features/identity/identity.endpoints';
import { type ReactNode, Suspense, useEffect, useState, useSyncExternalStore } from 'react';
import { Navigate, Outlet } from 'react-router-dom';
import { askForCurrentUser, useGetCurrentUserQuery } from '../features/identity/identity.api.ts';
import { remember } from '../ui/remembered.ts';
import { asRead } from './api.ts';
import { endedSignIn } from './ended-sign-in.ts';
import { useLiveChanges } from './live.ts';
import { LoadFailed } from './loaded.tsx';
import { PageSpinner } from './page-boundary.tsx';
import { part } from './part.ts';
import { asProblem } from './problem.ts';
import { store } from './with-store.tsx';

/** A read that was started while the page was loading is not repeated when the page is shown. */
const FRESH_SECONDS = 5;

/** To be called while the words of a page are loading. */
export const askAhead = () => void store.dispatch(askForCurrentUser());

/** For pages that need a sign-in: a spinner until it is known, `guest` or /auth without one. */
export function RequireUser({ guest = <ToSignIn /> }: { guest?: ReactNode }) {
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
  if (error && asProblem(error).status === 401) return guest;
  if (error) return <LoadFailed error={error} onRetry={refetch} />;
  return <PageSpinner />;
}

function ToSignIn() {
  useEffect(() => remember('signedIn', null), []);
  return <Navigate to="/auth" replace />;
}

const SignInAgain = part(
  [],
  ['identity', 'problems', 'validation'],
  async () => (await import('../features/identity/sign-in-again.tsx')).SignInAgain,
);

/** The pages of one user. They follow the server's changes, and ask for a new sign-in. */
export function SignedIn({ user, children }: { user: CurrentUser; children: ReactNode }) {
  useLiveChanges();
  useEffect(() => remember('signedIn', 'yes'), []);
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
