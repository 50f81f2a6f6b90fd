import {
  WebhookChanged,
  WebhookCreated,
  WebhookDeleted,
  WebhookDisabled,
  WebhookEnabled,
  WebhookSecretRotated,
} from '@tallyhand/contracts/features/webhooks/webhooks.events';
import { derivedId } from '@tallyhand/service-kit/crypto/ids';
import { describe, it } from 'vitest';
import { rulesOf } from '../../kit/testing/given.ts';
import { type WebhookCommand, webhookStream } from './webhook.decider.ts';

const organizationId = derivedId('organization');
const own = { webhookId: derivedId('webhook'), organizationId };
const settings = {
  origin: 'https://shop.example',
  events: ['TaskSucceeded'],
  description: 'The shop',
};
const create = { type: 'CreateWebhook' as const, data: { ...own, ...settings } };
const change = (changed: Partial<typeof settings>, isMoved = false) => ({
  type: 'ChangeWebhook' as const,
  data: { organizationId, ...settings, ...changed, isMoved },
});
const disable = (reason: 'by-person' | 'gone' | 'failing') => ({
  type: 'DisableWebhook' as const,
  data: { organizationId, reason },
});
const rotate = { type: 'RotateSecret' as const, data: { organizationId } };
const enable = { type: 'EnableWebhook' as const, data: { organizationId } };
const remove = { type: 'DeleteWebhook' as const, data: { organizationId } };

const created = WebhookCreated({ ...own, ...settings });
const disabled = WebhookDisabled({ ...own, reason: 'failing' });
const deleted = WebhookDeleted(own);

const given = rulesOf(webhookStream);

describe('CreateWebhook', () => {
  it('makes the webhook', () => {
    given().when(create).thenAppended(created);
  });
  it('does nothing the second time it arrives, not even after its deletion', () => {
    given(created).when(create).thenNothing();
    given(created, deleted).when(create).thenNothing();
  });
});

describe('ChangeWebhook', () => {
  const events = ['TaskSucceeded', 'TaskFailed'];
  const changed = WebhookChanged({ ...own, ...settings, events });

  it('changes the given settings, and the address', () => {
    given(created).when(change({ events })).thenAppended(changed);
  });
  it('does nothing where all is as before, or the second time it arrives', () => {
    given(created).when(change({})).thenNothing();
    given(created, changed).when(change({ events })).thenNothing();
  });
  it('reports a new address on the same host, whose path no event contains', () => {
    given(created)
      .when(change({}, true))
      .thenAppended(WebhookChanged({ ...own, ...settings }));
  });
});

describe('RotateSecret', () => {
  it('reports each new secret', () => {
    const rotated = WebhookSecretRotated(own);
    given(created).when(rotate).thenAppended(rotated);
    given(created, rotated).when(rotate).thenAppended(rotated);
  });
});

describe('DisableWebhook', () => {
  it('disables it, with the reason', () => {
    for (const reason of ['by-person', 'gone', 'failing'] as const) {
      given(created)
        .when(disable(reason))
        .thenAppended(WebhookDisabled({ ...own, reason }));
    }
  });
  it('does nothing for a disabled webhook, whatever the reason', () => {
    given(created, disabled).when(disable('by-person')).thenNothing();
  });
});

describe('EnableWebhook', () => {
  it('starts one that is stopped, and stops it again later', () => {
    const enabled = WebhookEnabled(own);
    given(created, disabled).when(enable).thenAppended(enabled);
    given(created, disabled, enabled).when(disable('failing')).thenAppended(disabled);
  });
  it('does nothing for an enabled webhook', () => {
    given(created).when(enable).thenNothing();
  });
});

describe('DeleteWebhook', () => {
  it('ends it, stopped or not', () => {
    given(created).when(remove).thenAppended(deleted);
    given(created, disabled).when(remove).thenAppended(deleted);
  });
  it('does nothing the second time it arrives', () => {
    given(created, deleted).when(remove).thenNothing();
  });
});

describe('a webhook', () => {
  const commands: WebhookCommand[] = [change({}), rotate, disable('gone'), enable];

  it('is not found after its deletion', () => {
    for (const command of commands) {
      given(created, deleted).when(command).thenRefused('not-found', { what: 'webhook' });
    }
  });
  it('of another organization is not found, nor one that was never made', () => {
    for (const command of [...commands, remove]) {
      const data = { ...command.data, organizationId: derivedId('another organization') };
      const foreign = { ...command, data } as WebhookCommand;
      given(created).when(foreign).thenRefused('not-found', { what: 'webhook' });
      given().when(command).thenRefused('not-found', { what: 'webhook' });
    }
  });
});
