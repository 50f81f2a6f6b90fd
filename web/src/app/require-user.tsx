import type { CurrentUser } from '@tallyhand/contracts/features/identity/identity.endpoints';
import { Navigate, Outlet } from 'react-router-dom';
import { askForCurrentUser, useGetCurrentUserQuery } from '../features/identity/identity.api.ts';
import { asRead } from './api.ts';
import { LoadFailed } from './load-failed.tsx';
import { PageSpinner } from './page-spinner.tsx';
import { asProblem } from './problem.ts';
import { SignedIn } from './signed-in.tsx';
import { store } from './store.ts';

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
