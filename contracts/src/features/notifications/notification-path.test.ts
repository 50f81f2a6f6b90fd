import { describe, expect, it } from 'vitest';
import { notificationPath } from './notification-path.ts';

describe('the path of a notification', () => {
  const object = { kind: 'agent', id: '1', name: null };
  const ofAgent = (status: string) =>
    notificationPath({ kind: 'agent-status', params: { status }, object });

  it('leads to an agent, and to the history of one that was deleted', () => {
    expect(ofAgent('paused')).toBe('/agents/1/execute');
    expect(ofAgent('deleted')).toBe('/agents?history=1');
  });
});
