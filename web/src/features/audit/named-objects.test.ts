import { describe, expect, it } from 'vitest';
import { objectsIn } from './named-objects.ts';

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
  it('are none in other values', () => {
    expect(objectsIn('name', 'a1')).toBeNull();
    expect(objectsIn('agentId', null)).toBeNull();
    expect(objectsIn('tools', [])).toBeNull();
    expect(objectsIn('tools', [{ version: 3 }])).toBeNull();
  });
});
