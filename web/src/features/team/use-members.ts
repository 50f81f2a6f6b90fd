import { listMembers } from '@tallyhand/contracts/features/team/team.endpoints';
import { mayCall } from '@tallyhand/contracts/kernel/access';
import { useCurrentUser } from '../identity/identity.api.ts';
import { useListMembersQuery } from './team.api.ts';

/** The members, for their names; none for roles that may not list them. */
export function useMembers() {
  const skip = !mayCall(useCurrentUser().role, listMembers);
  return useListMembersQuery(undefined, { skip }).data;
}
