import {
  changeWebhook,
  createWebhook,
  deleteWebhook,
  listDeliveries,
  listWebhooks,
  redeliverWebhook,
  rotateWebhookSecret,
  testWebhook,
  type WebhookDelivery,
} from '@tallyhand/contracts/features/webhooks/webhooks.endpoints';
import { api, change, read } from '../../app/api.ts';
import { readPages } from '../../app/pages.ts';

const DELIVERIES_LENGTH = 20;

type Deliveries = { id: string; state?: WebhookDelivery['state'] };

const webhooksApi = api.injectEndpoints({
  endpoints: (build) => ({
    listWebhooks: build.query(read(listWebhooks, ['webhooks'])),
    createWebhook: build.mutation(change(createWebhook, ['webhooks'])),
    changeWebhook: build.mutation(change(changeWebhook, ['webhooks'])),
    deleteWebhook: build.mutation(change(deleteWebhook, ['webhooks'])),
    rotateWebhookSecret: build.mutation(change(rotateWebhookSecret)),
    testWebhook: build.mutation(change(testWebhook, ['webhooks'])),
    listDeliveries: build.infiniteQuery(
      readPages<typeof listDeliveries, Deliveries>(listDeliveries, DELIVERIES_LENGTH, ['webhooks']),
    ),
    redeliverWebhook: build.mutation(change(redeliverWebhook, ['webhooks'])),
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
