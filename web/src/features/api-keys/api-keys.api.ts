import {
  type ApiKey,
  type ApiKeyInput,
  createApiKey,
  listApiKeys,
  type NewApiKey,
  revokeApiKey,
} from '@tallyhand/contracts/features/api-keys/api-keys.endpoints';
import type { z } from 'zod';
import { api } from '../../app/api.ts';
import { call } from '../../app/base-query.ts';

const apiKeysApi = api.injectEndpoints({
  endpoints: (build) => ({
    listApiKeys: build.query<ApiKey[], void>({
      query: () => call(listApiKeys),
      providesTags: ['api-keys'],
    }),
    createApiKey: build.mutation<NewApiKey, z.input<typeof ApiKeyInput>>({
      query: (body) => call(createApiKey, { body }),
      invalidatesTags: ['api-keys'],
    }),
    revokeApiKey: build.mutation<null, string>({
      query: (id) => call(revokeApiKey, { params: { id } }),
      invalidatesTags: ['api-keys'],
    }),
  }),
});

export const { useListApiKeysQuery, useCreateApiKeyMutation, useRevokeApiKeyMutation } = apiKeysApi;
