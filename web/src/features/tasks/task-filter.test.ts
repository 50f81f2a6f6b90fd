import { describe, expect, it } from 'vitest';
import { taskActionOf, taskFilter } from './task-filter.ts';

const agentId = '0198c0de-0000-7000-8000-000000000001';
const read = (address: string) => taskFilter.read(new URLSearchParams(address));

describe('the filter of the tasks in an address', () => {
  it("has the server's parameters", () => {
    const wanted = { q: 'malta', status: 'failed', type: 'playbook', agentId, from: '2026-02-28' };
    expect(read(`${new URLSearchParams(wanted)}&to=2026-03-01&task=${agentId}`)).toEqual({
      ...wanted,
      to: '2026-03-01',
    });
  });
  it.each([
    'q=%20',
    `q=${'x'.repeat(201)}`,
    'status=all',
    'type=chat',
    'agentId=7',
    'from=yesterday',
    'from=2026-02-30',
    'from=0000-01-01',
    'to=9999-12-31',
    'period=century',
  ])('omits values that the server would refuse: %s', (address) => {
    expect(read(address)).toEqual({});
  });
});

describe('what a user may do with a task', () => {
  const action = (
    status: Parameters<typeof taskActionOf>[0]['status'],
    id: string,
    role: 'Admin' | 'Editor',
  ) => taskActionOf({ status, requestedBy: { id: 'kim', name: 'Kim Marlow' } }, { id, role });

  it('is to cancel it until it has ended, and to run it again where it did not succeed', () => {
    expect(action('queued', 'kim', 'Editor')).toBe('cancel');
    expect(action('running', 'kim', 'Editor')).toBe('cancel');
    expect(action('waiting', 'kim', 'Editor')).toBe('cancel');
    expect(action('failed', 'kim', 'Editor')).toBe('retry');
    expect(action('cancelled', 'kim', 'Editor')).toBe('retry');
    expect(action('success', 'kim', 'Editor')).toBeUndefined();
  });

  it('is left to the member who started it, and to Admins', () => {
    for (const status of ['queued', 'running', 'waiting', 'failed', 'cancelled'] as const) {
      expect(action(status, 'lee', 'Editor')).toBeUndefined();
      expect(action(status, 'lee', 'Admin')).toBe(action(status, 'kim', 'Editor'));
    }
  });
});
