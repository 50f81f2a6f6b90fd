import {
  type CurrentUser,
  getCurrentUser,
  registerUser,
  signIn,
  signOut,
} from '@tallyhand/contracts/features/identity/identity.endpoints';
import type { AnswerOf } from '@tallyhand/contracts/kernel/endpoint';
import type { z } from 'zod';
import { api, asRead } from '../../app/api.ts';
import { call } from '../../app/base-query.ts';

type Registration = z.input<NonNullable<typeof registerUser.body>>;
type Credentials = z.input<NonNullable<typeof signIn.body>>;

const identityApi = api.injectEndpoints({
  endpoints: (build) => ({
    getCurrentUser: build.query<CurrentUser, void>({
      query: () => call(getCurrentUser),
      providesTags: ['identity', 'organizations'],
    }),
    signIn: build.mutation<AnswerOf<typeof signIn>, Credentials>({
      query: (body) => call(signIn, { body }),
    }),
    registerUser: build.mutation<AnswerOf<typeof registerUser>, Registration>({
      query: (body) => call(registerUser, { body }),
    }),
    signOut: build.mutation<null, void>({ query: () => call(signOut) }),
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
  identityApi.endpoints.getCurrentUser.initiate(undefined, { subscribe: false });

/** The signed-in person; only for what stands inside RequireUser. */
export function useCurrentUser(): CurrentUser {
  const { data } = useGetCurrentUserQuery(undefined, asRead<CurrentUser>());
  if (!data) throw new Error('useCurrentUser is used outside RequireUser');
  return data;
}
