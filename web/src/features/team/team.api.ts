import {
  changeMember,
  checkInvitation,
  getInvitationByToken,
  getInvitationLink,
  type Invitation,
  type InvitationLink,
  type InviteInput,
  type IssuedInvitation,
  issueInvitation,
  listInvitations,
  listMembers,
  listOutbox,
  type Member,
  type MemberState,
  type OutgoingMail,
  removeMember,
  renewInvitationLink,
  resendInvitation,
  restoreMember,
  revokeInvitation,
  revokeInvitationLink,
} from '@tallyhand/contracts/features/team/team.endpoints';
import type { AnswerOf } from '@tallyhand/contracts/kernel/endpoint';
import type { z } from 'zod';
import { api } from '../../app/api.ts';
import { call } from '../../app/base-query.ts';
import { inPages, type ListPage, pageAt } from '../../app/pages.ts';

const OUTBOX_PAGE_LENGTH = 20;

const teamApi = api.injectEndpoints({
  endpoints: (build) => ({
    listMembers: build.query<Member[], void>({
      query: () => call(listMembers),
      providesTags: ['team'],
    }),
    changeMember: build.mutation<MemberState, Pick<MemberState, 'id' | 'role'>>({
      query: ({ id, role }) => call(changeMember, { params: { id }, body: { role } }),
      invalidatesTags: ['team'],
    }),
    removeMember: build.mutation<null, string>({
      query: (id) => call(removeMember, { params: { id } }),
      invalidatesTags: ['team'],
    }),
    restoreMember: build.mutation<MemberState, string>({
      query: (id) => call(restoreMember, { params: { id } }),
      invalidatesTags: ['team'],
    }),
    listOutbox: build.infiniteQuery<ListPage<OutgoingMail>, void, string | null>({
      query: ({ pageParam }) => call(listOutbox, { query: pageAt(OUTBOX_PAGE_LENGTH, pageParam) }),
      ...inPages<OutgoingMail>(),
      providesTags: ['team'],
    }),
    listInvitations: build.query<Invitation[], void>({
      query: () => call(listInvitations),
      providesTags: ['team'],
    }),
    issueInvitation: build.mutation<IssuedInvitation, z.input<typeof InviteInput>>({
      query: (body) => call(issueInvitation, { body }),
      invalidatesTags: ['team'],
    }),
    resendInvitation: build.mutation<IssuedInvitation, string>({
      query: (id) => call(resendInvitation, { params: { id } }),
      invalidatesTags: ['team'],
    }),
    revokeInvitation: build.mutation<null, string>({
      query: (id) => call(revokeInvitation, { params: { id } }),
      invalidatesTags: ['team'],
    }),
    getInvitationLink: build.query<InvitationLink | null, void>({
      query: () => call(getInvitationLink),
      providesTags: ['team'],
    }),
    renewInvitationLink: build.mutation<InvitationLink, void>({
      query: () => call(renewInvitationLink),
      invalidatesTags: ['team'],
    }),
    revokeInvitationLink: build.mutation<null, void>({
      query: () => call(revokeInvitationLink),
      invalidatesTags: ['team'],
    }),
    getInvitationByToken: build.query<AnswerOf<typeof getInvitationByToken>, string>({
      query: (token) => call(getInvitationByToken, { params: { token } }),
    }),
    checkInvitation: build.query<null, string>({
      query: (token) => call(checkInvitation, { body: { token } }),
    }),
  }),
});

export const {
  useListMembersQuery,
  useChangeMemberMutation,
  useRemoveMemberMutation,
  useRestoreMemberMutation,
  useListOutboxInfiniteQuery,
  useListInvitationsQuery,
  useIssueInvitationMutation,
  useResendInvitationMutation,
  useRevokeInvitationMutation,
  useGetInvitationLinkQuery,
  useRenewInvitationLinkMutation,
  useRevokeInvitationLinkMutation,
  useCheckInvitationQuery,
  useGetInvitationByTokenQuery,
} = teamApi;
