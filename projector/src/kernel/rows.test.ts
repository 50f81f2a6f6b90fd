import { describe, expect, it } from 'vitest';
import { changedRow, namedColumns, newRow } from './rows.ts';

const AT = '2026-11-23T08:00:00.000Z';
const step = { stepId: 's', sessionId: 't', stepNumber: 1, executionTimeMs: 5, price: 1 };

describe('the columns that an event fills', () => {
  it('have the names of its fields', () => {
    expect(namedColumns('session_steps', step)).toEqual({
      step_id: 's',
      session_id: 't',
      step_number: 1,
      execution_time_ms: 5,
    });
  });

  it('are not those of fields that it leaves out', () => {
    expect(namedColumns('agents', { name: undefined, description: 'Helps' })).toEqual({
      description: 'Helps',
    });
  });
});

describe('a new row', () => {
  const playbook = { playbookId: 'p', organizationId: 'o', title: 'Refund', description: '' };
  const texts = {
    steps: ['Look'],
    category: 'General',
    tags: [],
    estimatedDuration: 5,
    version: 1,
  };

  it('has the fields of its event, the time of creation, and null where nothing is known', () => {
    expect(newRow('playbooks', { ...playbook, ...texts }, AT, {})).toMatchObject({
      title: 'Refund',
      estimated_duration: 5,
      created_at: AT,
      deleted_at: null,
    });
  });

  it('has given values instead of those of the event', () => {
    const row = newRow('playbooks', { ...playbook, ...texts }, AT, { title: 'Return' });
    expect(row.title).toBe('Return');
  });
});

describe('a changed row', () => {
  const row = newRow(
    'tools',
    { toolId: 't', name: 'Shop', description: 'Orders' },
    AT,
    {} as never,
  );
  const LATER = '2026-11-24T08:00:00.000Z';

  it('keeps columns whose new value is undefined', () => {
    const changed = changedRow('tools', row, LATER, { name: undefined, description: 'Returns' });
    expect(changed).toMatchObject({ name: 'Shop', description: 'Returns' });
  });

  it('keeps the time of creation, and has that of the change', () => {
    expect(changedRow('tools', row, LATER, {})).toMatchObject({
      created_at: AT,
      updated_at: LATER,
    });
  });
});
