import { describe, expect, it } from 'vitest';
import { eventsByCategory } from './events.ts';
import { AUDIT_KINDS } from './features/audit/audit.endpoints.ts';

describe('the kinds that the audit log is filtered by', () => {
  it('are the categories of all streams', () => {
    expect([...AUDIT_KINDS]).toEqual(Object.keys(eventsByCategory));
  });
});
