import type { ThunkAction, UnknownAction } from '@reduxjs/toolkit';
import type { CurrentUser } from '@tallyhand/contracts/features/identity/identity.endpoints';
import { MEMBERS, mayCall } from '@tallyhand/contracts/kernel/access';
import type { AuditorAccessEnded } from '@tallyhand/contracts/kernel/problem';
import { type ReactNode, useEffect, useState, useSyncExternalStore } from 'react';
import { Navigate, Outlet } from 'react-router-dom';
import { askForCurrentUser, useGetCurrentUserQuery } from '../features/identity/identity.api.ts';
import { remember } from '../ui/remembered.ts';
import { asRead } from './api.ts';
import { endedSignIn } from './ended-sign-in.ts';
import { useLiveChanges } from './live.ts';
import { LoadFailed } from './loaded.tsx';
import { PageSpinner } from './page-boundary.tsx';
import { laterPart } from './part.ts';
import { asProblem } from './problem.ts';
import { store } from './with-store.tsx';

/** A read that was started while the page was loading is not repeated when the page is shown. */
const FRESH_SECONDS = 5;

type Ask = () => ThunkAction<unknown, ReturnType<typeof store.getState>, unknown, UnknownAction>;
const askUser = () => store.dispatch(askForCurrentUser());
let user: ReturnType<typeof askUser> | undefined;

/**
 * Makes the first reads of a page while its words are loading: the user's, and after it the given ones, since
 * live changes start at the user's.
 */
export async function askAhead(...reads: readonly Ask[]) {
  user ??= askUser();
  const { data } = await user;
  // These reads are not for Auditors.
  if (data && mayCall(data.role, MEMBERS)) for (const ask of reads) store.dispatch(ask());
}

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
  if (error && asProblem(error).code === ACCESS_ENDED) return <AccessEnded error={error} />;
  if (error) return <LoadFailed error={error} onRetry={refetch} />;
  return <PageSpinner />;
}

// As in the contracts, whose declaration would bring zod to every page.
const ACCESS_ENDED: ReturnType<typeof AuditorAccessEnded>['code'] = 'auditor-access-ended';
const AccessEnded = laterPart(
  ['audit', 'problems'],
  async () => (await import('../features/audit/access-ended.tsx')).AccessEnded,
  PageSpinner,
);

function ToSignIn() {
  useEffect(() => remember('signedIn', null), []);
  return <Navigate to="/auth" replace />;
}

const SignInAgain = laterPart(
  ['identity', 'problems', 'validation'],
  async () => (await import('../features/identity/sign-in-again.tsx')).SignInAgain,
);

/** The pages of one user. They follow the server's changes, and ask for a new sign-in. */
export function SignedIn({ user, children }: { user: CurrentUser; children: ReactNode }) {
  useLiveChanges(mayCall(user.role, MEMBERS));
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
      {isEnded && <SignInAgain user={user} />}
    </>
  );
}
