import {
  beginSecondFactor,
  changePassword,
  changeProfile,
  checkPassword,
  confirmSecondFactor,
  endOtherSignIns,
  endSignIn,
  erasePerson,
  getSecondFactor,
  listSignInHistory,
  listSignIns,
  makeDeviceKnown,
  removeSecondFactor,
  requestDeviceLink,
  requestPasswordReset,
  resetPassword,
  type SecondFactor,
  type SignIn,
  type SignInRecord,
  undoEmailChange,
} from '@tallyhand/contracts/features/identity/account.endpoints';
import type { CurrentUser } from '@tallyhand/contracts/features/identity/identity.endpoints';
import type { AnswerOf, BodyOf } from '@tallyhand/contracts/kernel/endpoint';
import { api } from '../../app/api.ts';
import { call } from '../../app/base-query.ts';

const accountApi = api.injectEndpoints({
  endpoints: (build) => ({
    listSignIns: build.query<SignIn[], void>({
      query: () => call(listSignIns),
      providesTags: ['identity'],
    }),
    listSignInHistory: build.query<SignInRecord[], void>({
      query: () => call(listSignInHistory),
      providesTags: ['identity', 'audit-log'],
    }),
    endSignIn: build.mutation<null, string>({
      query: (id) => call(endSignIn, { params: { id } }),
      invalidatesTags: ['identity'],
    }),
    endOtherSignIns: build.mutation<null, void>({
      query: () => call(endOtherSignIns),
      invalidatesTags: ['identity'],
    }),
    changeProfile: build.mutation<CurrentUser, BodyOf<typeof changeProfile>>({
      query: (body) => call(changeProfile, { body }),
      invalidatesTags: ['identity', 'team'],
    }),
    changePassword: build.mutation<AnswerOf<typeof changePassword>, BodyOf<typeof changePassword>>({
      query: (body) => call(changePassword, { body }),
      invalidatesTags: ['identity'],
    }),
    checkPassword: build.mutation<AnswerOf<typeof checkPassword>, string>({
      query: (password) => call(checkPassword, { body: { password } }),
    }),
    requestPasswordReset: build.mutation<null, string>({
      query: (email) => call(requestPasswordReset, { body: { email } }),
    }),
    resetPassword: build.mutation<AnswerOf<typeof resetPassword>, BodyOf<typeof resetPassword>>({
      query: (body) => call(resetPassword, { body }),
    }),
    requestDeviceLink: build.mutation<null, string>({
      query: (email) => call(requestDeviceLink, { body: { email } }),
    }),
    makeDeviceKnown: build.mutation<null, string>({
      query: (token) => call(makeDeviceKnown, { body: { token } }),
    }),
    undoEmailChange: build.mutation<null, string>({
      query: (token) => call(undoEmailChange, { body: { token } }),
    }),
    getSecondFactor: build.query<SecondFactor, void>({
      query: () => call(getSecondFactor),
      providesTags: ['identity'],
    }),
    beginSecondFactor: build.mutation<AnswerOf<typeof beginSecondFactor>, string>({
      query: (password) => call(beginSecondFactor, { body: { password } }),
    }),
    confirmSecondFactor: build.mutation<AnswerOf<typeof confirmSecondFactor>, string>({
      query: (code) => call(confirmSecondFactor, { body: { code } }),
      invalidatesTags: ['identity'],
    }),
    removeSecondFactor: build.mutation<null, BodyOf<typeof removeSecondFactor>>({
      query: (body) => call(removeSecondFactor, { body }),
      invalidatesTags: ['identity'],
    }),
    erasePerson: build.mutation<null, string>({
      query: (password) => call(erasePerson, { body: { password } }),
    }),
  }),
});

export const {
  useListSignInsQuery,
  useListSignInHistoryQuery,
  useEndSignInMutation,
  useEndOtherSignInsMutation,
  useChangeProfileMutation,
  useChangePasswordMutation,
  useCheckPasswordMutation,
  useRequestPasswordResetMutation,
  useResetPasswordMutation,
  useRequestDeviceLinkMutation,
  useMakeDeviceKnownMutation,
  useUndoEmailChangeMutation,
  useGetSecondFactorQuery,
  useBeginSecondFactorMutation,
  useConfirmSecondFactorMutation,
  useRemoveSecondFactorMutation,
  useErasePersonMutation,
} = accountApi;
