import {
  getOrganization,
  getOrganizationStats,
  type Organization,
  type OrganizationStats,
} from '@tallyhand/contracts/features/organizations/organizations.endpoints';
import { api } from '../../app/api.ts';
import { call } from '../../app/base-query.ts';

const organizationsApi = api.injectEndpoints({
  endpoints: (build) => ({
    getOrganization: build.query<Organization, void>({
      query: () => call(getOrganization),
      providesTags: ['organizations', 'credits'],
    }),
    getOrganizationStats: build.query<OrganizationStats, void>({
      query: () => call(getOrganizationStats),
      providesTags: ['agents', 'knowledge'],
    }),
  }),
});

export const { useGetOrganizationQuery, useGetOrganizationStatsQuery } = organizationsApi;
