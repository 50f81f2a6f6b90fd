import {
  changeRetention,
  getRetention,
  liftLegalHold,
  placeLegalHold,
} from '@tallyhand/contracts/features/organizations/retention.endpoints';
import {
  changeMember,
  checkInvitation,
  getInvitationByToken,
  getInvitationLink,
  issueInvitation,
  listInvitations,
  listMembers,
  listOutbox,
  removeMember,
  renewInvitationLink,
  resendInvitation,
  restoreMember,
  revokeInvitation,
  revokeInvitationLink,
} from '@tallyhand/contracts/features/team/team.endpoints';
import { api, change, read } from '../../app/api.ts';
import { readPages } from '../../app/pages.ts';

const OUTBOX_PAGE_LENGTH = 20;

const teamApi = api.injectEndpoints({
  endpoints: (build) => ({
    listMembers: build.query(read(listMembers, ['team'])),
    changeMember: build.mutation(change(changeMember, ['team'])),
    removeMember: build.mutation(change(removeMember, ['team'])),
    restoreMember: build.mutation(change(restoreMember, ['team'])),
    listOutbox: build.infiniteQuery(readPages(listOutbox, OUTBOX_PAGE_LENGTH, ['team'])),
    listInvitations: build.query(read(listInvitations, ['team'])),
    issueInvitation: build.mutation(change(issueInvitation, ['team'])),
    resendInvitation: build.mutation(change(resendInvitation, ['team'])),
    revokeInvitation: build.mutation(change(revokeInvitation, ['team'])),
    getInvitationLink: build.query(read(getInvitationLink, ['team'])),
    renewInvitationLink: build.mutation(change(renewInvitationLink, ['team'])),
    revokeInvitationLink: build.mutation(change(revokeInvitationLink, ['team'])),
    getInvitationByToken: build.query(read(getInvitationByToken)),
    checkInvitation: build.query(read(checkInvitation)),
    getRetention: build.query(read(getRetention, ['team'])),
    changeRetention: build.mutation(change(changeRetention, ['team'])),
    placeLegalHold: build.mutation(change(placeLegalHold, ['team'])),
    liftLegalHold: build.mutation(change(liftLegalHold, ['team'])),
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
  useGetRetentionQuery,
  useChangeRetentionMutation,
  usePlaceLegalHoldMutation,
  useLiftLegalHoldMutation,
} = teamApi;
