import { Navigate, Outlet } from 'react-router-dom';
import { useGetCurrentUserQuery } from '../features/identity/identity.api.ts';
import { LoadFailed } from './load-failed.tsx';
import { PageSpinner } from './page-spinner.tsx';
import { asProblem } from './problem.ts';
import { SignedIn } from './signed-in.tsx';

/** The way to what needs a sign-in: a spinner while it is not known, /auth without one. */
export function RequireUser() {
  const { data, error, refetch } = useGetCurrentUserQuery(undefined, {
    refetchOnMountOrArgChange: true,
  });
  // Whoever is here stays, with what they typed, when their sign-in ends.
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
