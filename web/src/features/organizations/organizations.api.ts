import {
  getOrganization,
  getOrganizationStats,
} from '@tallyhand/contracts/features/organizations/organizations.endpoints';
import { AHEAD, api, read } from '../../app/api.ts';

const organizationsApi = api.injectEndpoints({
  endpoints: (build) => ({
    getOrganization: build.query(read(getOrganization, ['organizations', 'credits'])),
    getOrganizationStats: build.query(read(getOrganizationStats, ['agents', 'knowledge', 'team'])),
  }),
});

export const askForOrganization = () =>
  organizationsApi.endpoints.getOrganization.initiate(undefined, AHEAD);
export const askForOrganizationStats = () =>
  organizationsApi.endpoints.getOrganizationStats.initiate(undefined, AHEAD);

export const { useGetOrganizationQuery, useGetOrganizationStatsQuery } = organizationsApi;
