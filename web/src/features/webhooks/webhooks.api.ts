import {
  changeWebhook,
  createWebhook,
  deleteWebhook,
  listDeliveries,
  listWebhooks,
  type NewWebhookEndpoint,
  redeliverWebhook,
  rotateWebhookSecret,
  testWebhook,
  type WebhookChange,
  type WebhookDelivery,
  type WebhookEndpoint,
  type WebhookInput,
  type WebhookSecret,
} from '@tallyhand/contracts/features/webhooks/webhooks.endpoints';
import type { z } from 'zod';
import { api } from '../../app/api.ts';
import { call } from '../../app/base-query.ts';
import { inPages, type ListPage, pageAt } from '../../app/pages.ts';

const DELIVERIES_LENGTH = 20;

type Deliveries = { id: string; state?: WebhookDelivery['state'] };
type Change = { id: string; change: z.input<typeof WebhookChange> };

const webhooksApi = api.injectEndpoints({
  endpoints: (build) => ({
    listWebhooks: build.query<WebhookEndpoint[], void>({
      query: () => call(listWebhooks),
      providesTags: ['webhooks'],
    }),
    createWebhook: build.mutation<NewWebhookEndpoint, z.input<typeof WebhookInput>>({
      query: (body) => call(createWebhook, { body }),
      invalidatesTags: ['webhooks'],
    }),
    changeWebhook: build.mutation<WebhookEndpoint, Change>({
      query: ({ id, change }) => call(changeWebhook, { params: { id }, body: change }),
      invalidatesTags: ['webhooks'],
    }),
    deleteWebhook: build.mutation<null, string>({
      query: (id) => call(deleteWebhook, { params: { id } }),
      invalidatesTags: ['webhooks'],
    }),
    rotateWebhookSecret: build.mutation<WebhookSecret, string>({
      query: (id) => call(rotateWebhookSecret, { params: { id } }),
    }),
    testWebhook: build.mutation<WebhookDelivery, string>({
      query: (id) => call(testWebhook, { params: { id } }),
      invalidatesTags: ['webhooks'],
    }),
    listDeliveries: build.infiniteQuery<ListPage<WebhookDelivery>, Deliveries, string | null>({
      query: ({ queryArg: { id, state }, pageParam }) =>
        call(listDeliveries, {
          params: { id },
          query: { ...pageAt(DELIVERIES_LENGTH, pageParam), ...(state && { state }) },
        }),
      ...inPages<WebhookDelivery>(),
      providesTags: ['webhooks'],
    }),
    redeliverWebhook: build.mutation<WebhookDelivery, string>({
      query: (id) => call(redeliverWebhook, { params: { id } }),
      invalidatesTags: ['webhooks'],
    }),
  }),
});

export const {
  useListWebhooksQuery,
  useCreateWebhookMutation,
  useChangeWebhookMutation,
  useDeleteWebhookMutation,
  useRotateWebhookSecretMutation,
  useTestWebhookMutation,
  useListDeliveriesInfiniteQuery,
  useRedeliverWebhookMutation,
} = webhooksApi;
