import {
  type CurrentUser,
  getCurrentUser,
  registerUser,
  signIn,
  signOut,
} from '@tallyhand/contracts/features/identity/identity.endpoints';
import { AHEAD, api, asRead, change, read } from '../../app/api.ts';

const identityApi = api.injectEndpoints({
  endpoints: (build) => ({
    getCurrentUser: build.query(read(getCurrentUser, ['identity', 'organizations'])),
    signIn: build.mutation(change(signIn)),
    registerUser: build.mutation(change(registerUser)),
    signOut: build.mutation(change(signOut)),
  }),
});

export const {
  useGetCurrentUserQuery,
  useSignInMutation,
  useRegisterUserMutation,
  useSignOutMutation,
} = identityApi;

/** Asks who is signed in before anything shows it. */
export const askForCurrentUser = () =>
  identityApi.endpoints.getCurrentUser.initiate(undefined, AHEAD);

/** The signed-in person; only for what stands inside RequireUser. */
export function useCurrentUser(): CurrentUser {
  const { data } = useGetCurrentUserQuery(undefined, asRead<CurrentUser>());
  if (!data) throw new Error('useCurrentUser is used outside RequireUser');
  return data;
}
