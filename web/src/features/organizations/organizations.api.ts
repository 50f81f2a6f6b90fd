import {
  getOrganization,
  type Organization,
} from '@tallyhand/contracts/features/organizations/organizations.endpoints';
import { api } from '../../app/api.ts';
import { call } from '../../app/base-query.ts';

const organizationsApi = api.injectEndpoints({
  endpoints: (build) => ({
    getOrganization: build.query<Organization, void>({
      query: () => call(getOrganization),
      providesTags: ['organizations', 'credits'],
    }),
  }),
});

export const { useGetOrganizationQuery } = organizationsApi;
