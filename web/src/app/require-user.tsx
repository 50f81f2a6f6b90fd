import { Navigate, Outlet } from 'react-router-dom';
import { useGetCurrentUserQuery } from '../features/identity/identity.api.ts';
import { useLiveChanges } from './live.ts';
import { LoadFailed } from './load-failed.tsx';
import { PageSpinner } from './page-spinner.tsx';
import { asProblem } from './problem.ts';

function SignedIn() {
  useLiveChanges();
  return <Outlet />;
}

/** The way to what needs a sign-in: a spinner while it is not known, /auth without one. */
export function RequireUser() {
  const { data, error, refetch } = useGetCurrentUserQuery(undefined, {
    refetchOnMountOrArgChange: true,
  });
  if (error && asProblem(error).status === 401) return <Navigate to="/auth" replace />;
  if (data) return <SignedIn />;
  if (error) return <LoadFailed error={error} onRetry={refetch} />;
  return <PageSpinner />;
}
