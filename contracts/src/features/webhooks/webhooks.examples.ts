import type { AnswerExamples } from '../../kernel/answer-examples.ts';
import type * as webhooks from './webhooks.endpoints.ts';

export const webhooksExamples: AnswerExamples<typeof webhooks> = {
  rotateWebhookSecret: {
    id: '0193a1b2-0000-7000-8000-000000000001',
    secret: 'whsec_MfKQ9r8GKYqrTwjUPD8ILPZIo2LaLaSw',
  },
  WebhookEndpoint: {
    id: '0193a1b2-0000-7000-8000-000000000001',
    url: 'https://example.com/hook',
    events: ['TaskSucceeded'],
    description: '',
    isActive: false,
    disabledReason: 'gone',
    disabledAt: '2027-01-31T09:30:00.084Z',
    failingSince: '2027-01-31T09:30:00.076Z',
    createdAt: '2027-01-31T09:30:00.000Z',
  },
  NewWebhookEndpoint: {
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
  WebhookDelivery: {
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
  },
};
