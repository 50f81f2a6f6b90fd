import {
  getMeaningSearch,
  setMeaningSearch,
} from '@tallyhand/contracts/features/models/meaning-search.endpoints';
import { getModelCredits } from '@tallyhand/contracts/features/models/model-credits.endpoints';
import {
  changeConnection,
  createConnection,
  discoverModels,
  findLocalServers,
  getModelUsage,
  listConnections,
  listEndpointModels,
  testConnection,
} from '@tallyhand/contracts/features/models/models.endpoints';
import { api, change, read } from '../../app/api.ts';
import { changeSeen } from '../../app/change-seen.ts';
import { readList } from '../../app/pages.ts';

const modelsApi = api.injectEndpoints({
  endpoints: (build) => ({
    listConnections: build.query(readList(listConnections, ['models'])),
    getModelCredits: build.query(read(getModelCredits)),
    getModelUsage: build.query(read(getModelUsage, ['models'])),
    createConnection: build.mutation(change(createConnection, ['models'])),
    changeConnection: build.mutation(changeSeen(changeConnection, ['models', 'audit'])),
    getMeaningSearch: build.query(read(getMeaningSearch, ['models', 'knowledge', 'organizations'])),
    setMeaningSearch: build.mutation(change(setMeaningSearch, ['models', 'audit'])),
    testConnection: build.mutation(change(testConnection)),
    findLocalServers: build.mutation(change(findLocalServers)),
    discoverModels: build.mutation(change(discoverModels)),
    listEndpointModels: build.mutation(change(listEndpointModels)),
  }),
});

export const {
  useGetModelCreditsQuery,
  useGetModelUsageQuery,
  useListConnectionsQuery,
  useCreateConnectionMutation,
  useChangeConnectionMutation,
  useGetMeaningSearchQuery,
  useSetMeaningSearchMutation,
  useTestConnectionMutation,
  useDiscoverModelsMutation,
  useListEndpointModelsMutation,
  useFindLocalServersMutation,
} = modelsApi;
