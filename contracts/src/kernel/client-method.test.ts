import { describe, expect, it } from 'vitest';
import { endpoints, isForClients } from '../endpoints.ts';
import { clientMethodOf } from './client-method.ts';

const methodOf = (name: string) => {
  const endpoint = endpoints.find((each) => each.name === name);
  return endpoint && clientMethodOf(endpoint);
};

describe('the method of a call in client libraries', () => {
  it.each([
    ['createAgent', 'agents.create'],
    ['getAgent', 'agents.retrieve'],
    ['changeAgent', 'agents.update'],
    ['getAgentHistory', 'agents.history.list'],
    ['assignResources', 'agents.assign'],
    ['executeTask', 'agents.execute'],
    ['chatWithAgent', 'agents.chat'],
    ['startSession', 'agents.sessions.start'],
    ['takeOverSession', 'sessions.takeOver'],
    ['importArticle', 'articles.import'],
    ['retryTask', 'tasks.retry'],
    ['exportLedger', 'billing.ledger.export'],
    ['purchaseCredits', 'billing.purchase'],
    ['rotateWebhookSecret', 'webhookEndpoints.rotateSecret'],
    ['redeliverWebhook', 'webhookEndpoints.deliveries.redeliver'],
    ['testMailbox', 'mailboxes.test'],
    ['testNewMailbox', 'mailboxes.testNew'],
    ['markNotificationsRead', 'notifications.markRead'],
    ['search', 'search'],
  ])('of %s is %s', (name, method) => {
    expect(methodOf(name)).toBe(method);
  });

  it('is unique to each call', () => {
    const names = endpoints.filter(isForClients).map(clientMethodOf);
    expect(names.filter((name, index) => names.indexOf(name) !== index)).toEqual([]);
  });
});
