import { describe, expect, it } from 'vitest';
import { entryOf, type StoredEntry } from './audit-changes.ts';

const stored = (more: Partial<StoredEntry>): StoredEntry => ({
  sequence: 1,
  id: 'e',
  type: 'TaskRequested',
  at: '2026-11-01T00:00:00Z',
  count: 1,
  ledgerEntry: null,
  address: null,
  signInId: null,
  correlationId: 'c',
  causationId: null,
  actor: { kind: 'member', id: 'm', name: 'Ada' },
  changes: null,
  values: null,
  object: { kind: 'task', id: 't', name: 'Say hello' },
  ...more,
});
const fields = (data: object, revealed: object = {}) =>
  entryOf(stored({ values: { data, revealed } as never })).changes;

describe('an entry of the audit log', () => {
  it('shows the changed fields if they are known', () => {
    const changes = [{ field: 'name', before: 'Support', after: 'Service desk' }];
    const entry = entryOf(stored({ changes }));
    expect(entry.changes).toEqual(changes);
    expect(entry).not.toHaveProperty('values');
  });

  it("otherwise shows the event's values, in their order", () => {
    expect(fields({ input: 'Hello', price: 1, isPublic: false })).toEqual([
      { field: 'input', before: null, after: 'Hello' },
      { field: 'price', before: null, after: 1 },
      { field: 'isPublic', before: null, after: false },
    ]);
  });

  it('leaves out empty values, the object itself, the organization and keys', () => {
    const data = { taskId: 't', retryOf: null, sources: [], organizationId: 'o', emailKey: 'k' };
    expect(fields({ ...data, agentId: 'a' })).toEqual([
      { field: 'agentId', before: null, after: 'a' },
    ]);
  });

  it('shows decrypted personal data', () => {
    const revealed = { 'data.email': 'ada@example.com', sourceAddress: '127.0.0.1' };
    expect(fields({ email: 'ciphertext' }, revealed)).toEqual([
      { field: 'email', before: null, after: 'ada@example.com' },
    ]);
  });
});
