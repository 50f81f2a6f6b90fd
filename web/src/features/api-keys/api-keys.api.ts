import {
  createApiKey,
  listApiKeys,
  revokeApiKey,
} from '@tallyhand/contracts/features/api-keys/api-keys.endpoints';
import { api, change, read } from '../../app/api.ts';

const apiKeysApi = api.injectEndpoints({
  endpoints: (build) => ({
    listApiKeys: build.query(read(listApiKeys, ['api-keys'])),
    createApiKey: build.mutation(change(createApiKey, ['api-keys'])),
    revokeApiKey: build.mutation(change(revokeApiKey, ['api-keys'])),
  }),
});

export const { useListApiKeysQuery, useCreateApiKeyMutation, useRevokeApiKeyMutation } = apiKeysApi;
