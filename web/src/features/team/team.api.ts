import {
  getInvitationByToken,
  getInvitationLink,
  type Invitation,
  type InvitationLink,
  type InviteInput,
  type IssuedInvitation,
  issueInvitation,
  listInvitations,
  listMembers,
  type Member,
  renewInvitationLink,
  revokeInvitation,
  revokeInvitationLink,
} from '@tallyhand/contracts/features/team/team.endpoints';
import type { AnswerOf } from '@tallyhand/contracts/kernel/endpoint';
import type { z } from 'zod';
import { api } from '../../app/api.ts';
import { call } from '../../app/base-query.ts';

const teamApi = api.injectEndpoints({
  endpoints: (build) => ({
    listMembers: build.query<Member[], void>({
      query: () => call(listMembers),
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
  }),
});

export const {
  useListMembersQuery,
  useListInvitationsQuery,
  useIssueInvitationMutation,
  useRevokeInvitationMutation,
  useGetInvitationLinkQuery,
  useRenewInvitationLinkMutation,
  useRevokeInvitationLinkMutation,
  useGetInvitationByTokenQuery,
} = teamApi;
