import {
  changeConnection,
  createConnection,
  discoverModels,
  listConnections,
  testConnection,
} from '@tallyhand/contracts/features/models/models.endpoints';
import { api, change } from '../../app/api.ts';
import { changeSeen } from '../../app/change-seen.ts';
import { readList } from '../../app/pages.ts';

const modelsApi = api.injectEndpoints({
  endpoints: (build) => ({
    listConnections: build.query(readList(listConnections, ['models'])),
    createConnection: build.mutation(change(createConnection, ['models'])),
    changeConnection: build.mutation(changeSeen(changeConnection, ['models', 'audit'])),
    testConnection: build.mutation(change(testConnection)),
    discoverModels: build.mutation(change(discoverModels)),
  }),
});

export const {
  useListConnectionsQuery,
  useCreateConnectionMutation,
  useChangeConnectionMutation,
  useTestConnectionMutation,
  useDiscoverModelsMutation,
} = modelsApi;
