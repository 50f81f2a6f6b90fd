import { z } from 'zod';
import { ADMINS } from '../../kernel/access.ts';
import { changeOf } from '../../kernel/changes.ts';
import { endpoint } from '../../kernel/endpoint.ts';
import { Id, Instant } from '../../kernel/ids.ts';
import { Page } from '../../kernel/lists.ts';
import { RecordedEvent } from '../audit/audit.endpoints.ts';
import { TooManyWebhooks, WebhookIsDisabled } from './webhooks.refusals.ts';

export const WEBHOOKS_MAX = 20;
/** Every event type, including those of later releases. */
export const ANY_EVENT = '*';
/** The event of a test delivery. */
export const PING = 'ping';
const EVENTS_MAX = 200;

const URL_RULE = 'Address must be a full http or https address of at most 2000 characters';
const EVENTS_RULE = 'Events must be types of events, or * alone';
const DESCRIPTION_RULE = 'Description must be at most 200 characters';

const fields = {
  url: z
    .string(URL_RULE)
    .trim()
    .max(2000, URL_RULE)
    .refine((text) => /^https?:\/\/[^/]/i.test(text) && URL.canParse(text), URL_RULE),
  events: z
    .array(z.string(EVENTS_RULE).regex(/^([A-Z][A-Za-z0-9]{0,63}|\*)$/, EVENTS_RULE), EVENTS_RULE)
    .min(1, 'Choose at least one event')
    .max(EVENTS_MAX, EVENTS_RULE)
    .transform((types) => [...new Set(types)])
    .refine((types) => types.length === 1 || !types.includes(ANY_EVENT), EVENTS_RULE),
  description: z.string(DESCRIPTION_RULE).trim().max(200, DESCRIPTION_RULE),
};

export const WebhookInput = z.strictObject({
  ...fields,
  description: fields.description.default(''),
});
export const WebhookChange = changeOf({
  ...fields,
  isActive: z.boolean('Must be true or false'),
});

/** Why deliveries stopped: a member disabled it, it answered 410, or it failed for too long. */
export const DISABLED_REASONS = ['by-person', 'gone', 'failing'] as const;

export const WebhookEndpoint = z.object({
  id: Id,
  url: z.string(),
  events: z.array(z.string()),
  description: z.string(),
  isActive: z.boolean(),
  disabledReason: z.enum(DISABLED_REASONS).nullable(),
  disabledAt: Instant.nullable(),
  /** Since when every attempt has failed. */
  failingSince: Instant.nullable(),
  createdAt: Instant,
});
export type WebhookEndpoint = z.infer<typeof WebhookEndpoint>;

/** Signs deliveries. Anyone who has it can forge them. */
const Secret = z.object({ id: Id, secret: z.string() });
export const NewWebhookEndpoint = WebhookEndpoint.extend(Secret.shape);
export type NewWebhookEndpoint = z.infer<typeof NewWebhookEndpoint>;
export type WebhookSecret = z.infer<typeof Secret>;

export const DELIVERY_STATES = ['waiting', 'sending', 'delivered', 'failed'] as const;

const Attempt = z.object({
  at: Instant,
  /** The response status; null if there was no response. */
  status: z.int().nullable(),
  ms: z.int(),
  error: z.string().nullable(),
});

/**
 * The delivery of one event to one webhook. The newest attempts are stored, with the last response.
 */
export const WebhookDelivery = z.object({
  /** Sent as `webhook-id`: the same in every attempt, and when it is resent. */
  id: Id,
  webhookId: Id,
  type: z.string(),
  /** The event's sequence in the organization's history; null for a test. */
  sequence: z.int().nullable(),
  state: z.enum(DELIVERY_STATES),
  attempts: z.int(),
  log: z.array(Attempt),
  /** The first thousand characters. */
  answer: z.string().nullable(),
  createdAt: Instant,
  nextAt: Instant.nullable(),
  endedAt: Instant.nullable(),
});
export type WebhookDelivery = z.infer<typeof WebhookDelivery>;

/** The body of a delivery: an event as the history has it. A test has the webhook's id as data. */
export const WebhookPayload = z.object({
  type: z.string(),
  timestamp: Instant,
  data: RecordedEvent,
});

export const DeliveriesQuery = Page.extend({
  state: z.enum(DELIVERY_STATES, `state must be one of ${DELIVERY_STATES.join(', ')}`).optional(),
});

const feature = 'webhooks';
const one = { feature, params: z.strictObject({ id: Id }) } as const;

const webhookEndpointExample: WebhookEndpoint = {
  id: '0193a1b2-0000-7000-8000-000000000001',
  url: 'https://example.com/hook',
  events: ['TaskSucceeded'],
  description: '',
  isActive: false,
  disabledReason: 'gone',
  disabledAt: '2027-01-31T09:30:00.084Z',
  failingSince: '2027-01-31T09:30:00.076Z',
  createdAt: '2027-01-31T09:30:00.000Z',
};

export const listWebhooks = endpoint({
  name: 'listWebhooks',
  method: 'GET',
  path: '/api/webhook-endpoints',
  access: ADMINS,
  feature,
  summary: 'List webhooks',
  description: 'Returns the webhooks of the organization, newest first.',
  query: Page,
  status: 200,
  answer: z.array(WebhookEndpoint),
  answerExample: [webhookEndpointExample],
});
export const createWebhook = endpoint({
  name: 'createWebhook',
  method: 'POST',
  path: '/api/webhook-endpoints',
  access: ADMINS,
  feature,
  summary: 'Create a webhook',
  description:
    'Sends events to the address from now on. Only this answer and `rotateWebhookSecret` contain a secret.',
  body: WebhookInput,
  example: { url: 'https://example.com/hook', events: ['TaskSucceeded'] },
  status: 201,
  answer: NewWebhookEndpoint,
  answerExample: {
    id: '0193a1b2-0000-7000-8000-000000000001',
    url: 'https://example.com/hook',
    events: ['TaskSucceeded'],
    description: '',
    isActive: true,
    disabledReason: null,
    disabledAt: null,
    failingSince: null,
    createdAt: '2027-01-31T09:30:00.000Z',
    secret: 'whsec_MfKQ9r8GKYqrTwjUPD8ILPZIo2LaLaSw',
  },
  refusals: [TooManyWebhooks],
});
export const changeWebhook = endpoint({
  ...one,
  name: 'changeWebhook',
  method: 'PUT',
  path: '/api/webhook-endpoints/{id}',
  access: ADMINS,
  summary: 'Update a webhook',
  description: 'Changes the address, the types of events, or whether events are sent.',
  body: WebhookChange,
  example: { isActive: false },
  status: 200,
  answer: WebhookEndpoint,
  answerExample: webhookEndpointExample,
});
export const deleteWebhook = endpoint({
  ...one,
  name: 'deleteWebhook',
  method: 'DELETE',
  path: '/api/webhook-endpoints/{id}',
  access: ADMINS,
  summary: 'Delete a webhook',
  description: 'Deletes the webhook and its deliveries.',
  status: 204,
});
export const rotateWebhookSecret = endpoint({
  ...one,
  name: 'rotateWebhookSecret',
  method: 'POST',
  path: '/api/webhook-endpoints/{id}/rotate-secret',
  access: ADMINS,
  summary: 'Rotate a webhook secret',
  description: 'Creates a new secret. For one day, deliveries are signed with the old secret too.',
  status: 200,
  answer: Secret,
  answerExample: {
    id: '0193a1b2-0000-7000-8000-000000000001',
    secret: 'whsec_MfKQ9r8GKYqrTwjUPD8ILPZIo2LaLaSw',
  },
});
const webhookDeliveryExample: WebhookDelivery = {
  id: '0193a1b2-0000-7000-8000-000000000001',
  webhookId: '0193a1b2-0000-7000-8000-000000000002',
  type: 'ping',
  state: 'waiting',
  sequence: null,
  attempts: 2,
  log: [
    {
      at: '2027-01-31T09:30:00.007Z',
      ms: 4,
      error: 'The name example.com could not be resolved.',
      status: null,
    },
    {
      at: '2027-01-31T09:30:05.528Z',
      ms: 4,
      error: 'The name example.com could not be resolved.',
      status: null,
    },
  ],
  answer: null,
  createdAt: '2027-01-31T09:30:00.000Z',
  nextAt: '2027-01-31T09:30:47.411Z',
  endedAt: null,
};

export const testWebhook = endpoint({
  ...one,
  name: 'testWebhook',
  method: 'POST',
  path: '/api/webhook-endpoints/{id}/test',
  access: ADMINS,
  summary: 'Test a webhook',
  description: 'Sends a delivery of the type `ping`.',
  status: 202,
  answer: WebhookDelivery,
  answerExample: webhookDeliveryExample,
  refusals: [WebhookIsDisabled],
});
export const listDeliveries = endpoint({
  ...one,
  name: 'listDeliveries',
  method: 'GET',
  path: '/api/webhook-endpoints/{id}/deliveries',
  access: ADMINS,
  summary: 'List deliveries of a webhook',
  description: 'Returns what was sent in the last 30 days, newest first.',
  query: DeliveriesQuery,
  status: 200,
  answer: z.array(WebhookDelivery),
  answerExample: [webhookDeliveryExample],
});
export const redeliverWebhook = endpoint({
  ...one,
  name: 'redeliverWebhook',
  method: 'POST',
  path: '/api/webhook-endpoints/deliveries/{id}/redeliver',
  access: ADMINS,
  summary: 'Redeliver an event',
  description: 'Sends a delivery again with the same `webhook-id`.',
  status: 202,
  answer: WebhookDelivery,
  answerExample: webhookDeliveryExample,
  refusals: [WebhookIsDisabled],
});
