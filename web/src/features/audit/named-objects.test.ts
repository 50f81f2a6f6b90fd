import { describe, expect, it } from 'vitest';
import { isBareId, objectsIn } from './named-objects.ts';

describe('the objects that a value of an event names', () => {
  it('are of the kind that its field holds', () => {
    expect(objectsIn('agentId', 'a1')).toEqual([{ kind: 'agent', id: 'a1' }]);
    expect(objectsIn('ratedBy', 'm1')).toEqual([{ kind: 'member', id: 'm1' }]);
    expect(objectsIn('retryOf', 't1')).toEqual([{ kind: 'task', id: 't1' }]);
  });
  it('are several in a list, also with their versions', () => {
    const tools = [
      { kind: 'tool', id: 't1' },
      { kind: 'tool', id: 't2' },
    ];
    expect(objectsIn('tools', ['t1', 't2'])).toEqual(tools);
    const used = [
      { toolId: 't1', version: 3 },
      { toolId: 't2', version: 1 },
    ];
    expect(objectsIn('tools', used)).toEqual(tools);
    expect(objectsIn('playbook', { playbookId: 'p1', version: 2 })).toEqual([
      { kind: 'playbook', id: 'p1' },
    ]);
  });
  it('are the task that credits were spent on', () => {
    expect(objectsIn('work', { kind: 'task', id: 't1' })).toEqual([{ kind: 'task', id: 't1' }]);
    expect(objectsIn('work', { kind: 'step', id: 's1' })).toBeNull();
  });
  it('are the agent or member whose spending is limited', () => {
    expect(objectsIn('scope', { kind: 'agent', id: 'a1' })).toEqual([{ kind: 'agent', id: 'a1' }]);
    expect(objectsIn('scope', 'all')).toBeNull();
  });
  it('are what support, webhooks, API keys and mailboxes are about', () => {
    const fields = {
      keyId: 'apikey',
      mailboxId: 'mailbox',
      ticketId: 'ticket',
      webhookId: 'webhook',
    };
    for (const [field, kind] of Object.entries(fields)) {
      expect(objectsIn(field, 'x1')).toEqual([{ kind, id: 'x1' }]);
    }
  });
  it('are none in other values', () => {
    expect(objectsIn('name', 'a1')).toBeNull();
    expect(objectsIn('agentId', null)).toBeNull();
    expect(objectsIn('tools', [])).toBeNull();
    expect(objectsIn('tools', [{ version: 3 }])).toBeNull();
  });
});

describe('an id that names no object', () => {
  it('is told from words', () => {
    expect(isBareId('0198c2f4-7d1e-7b3a-9c55-2f6d1e8a4b70')).toBe(true);
    for (const value of ['operator', 7, null, ['0198c2f4-7d1e-7b3a-9c55-2f6d1e8a4b70']]) {
      expect(isBareId(value)).toBe(false);
    }
  });
});
