import { auditEvents } from '@tallyhand/contracts/features/audit/audit.events';
import { userEvents } from '@tallyhand/contracts/features/identity/identity.events';
import { describe, expect, it } from 'vitest';
import { type OcsfRecord, ocsfOf, ocsfOfCheckpoint, type StreamedEntry } from './ocsf.ts';

const member = '0193a1b2-0000-7000-8000-000000000002';
const entry = (type: string, more: Partial<StreamedEntry> = {}): StreamedEntry => ({
  organizationId: '0193a1b2-0000-7000-8000-000000000001',
  sequence: 7,
  id: '0193a1b2-0000-7000-8000-000000000003',
  type,
  schemaVersion: 1,
  at: '2027-01-31T09:30:00.123Z',
  stream: `user-${member}`,
  object: { kind: 'member', id: member },
  actor: { kind: 'member', id: member, name: 'Ada', email: 'ada@example.com' },
  signInId: '0193a1b2-0000-7000-8000-000000000004',
  address: '203.0.113.7',
  correlationId: 'c',
  causationId: null,
  commandId: '0193a1b2-0000-7000-8000-000000000005',
  data: { userId: member },
  leaf: 'bGVhZg==',
  ...more,
});

/** What OCSF 1.3.0 requires of each class, besides the attributes of every class. */
const REQUIRED: Readonly<Record<number, readonly string[]>> = {
  3001: ['user'],
  3002: ['user', 'service'],
  3004: ['entity'],
  6003: ['actor', 'api', 'src_endpoint'],
};
const CATEGORY: Readonly<Record<number, number>> = { 3001: 3, 3002: 3, 3004: 3, 6003: 6 };

function expectValid(record: OcsfRecord) {
  const { class_uid: classUid } = record;
  const required = [...(REQUIRED[classUid] ?? expect.fail()), 'metadata', 'severity_id', 'time'];
  const plain = JSON.parse(JSON.stringify(record)) as Record<string, unknown>;
  expect(required.filter((name) => plain[name] === undefined)).toEqual([]);
  expect(record.category_uid).toBe(CATEGORY[classUid]);
  expect(record.type_uid).toBe(classUid * 100 + record.activity_id);
  expect(record.metadata).toMatchObject({ version: '1.3.0', product: { name: 'Tallyhand' } });
}

describe('a record of OCSF', () => {
  it.each([...Object.keys(auditEvents), ...Object.keys(userEvents), 'AgentCreated', 'Unknown'])(
    'has what its class requires: %s',
    (type) => {
      expectValid(ocsfOf(entry(type)));
      const worker = { kind: 'worker', id: null, name: null, email: null };
      expectValid(ocsfOf(entry(type, { actor: worker, address: 'erased', data: {} })));
    },
  );

  it('says what happened to an object', () => {
    const agent = { kind: 'agent', id: 'a' };
    const made = (type: string) => {
      const { class_uid, activity_id, activity_name } = ocsfOf(entry(type, { object: agent }));
      return [class_uid, activity_id, activity_name];
    };
    expect(made('AgentCreated')).toEqual([3004, 1, 'Create']);
    expect(made('AgentChanged')).toEqual([3004, 3, 'Update']);
    expect(made('AgentDeleted')).toEqual([3004, 4, 'Delete']);
    expect(made('TaskSucceeded')).toEqual([3004, 99, 'TaskSucceeded']);
    expect(made('AuditorCalled')).toEqual([6003, 2, 'Read']);
    expect(made('MemberRoleChanged')).toEqual([3001, 7, 'Attach Policy']);
  });

  it('has a refused sign-in as one that failed, of the address that it came from', () => {
    const data = { call: 'signIn', code: 'sign-in-failed' };
    expect(ocsfOf(entry('CallRefused', { data }))).toMatchObject({
      class_uid: 3002,
      activity_name: 'Logon',
      status_id: 2,
      severity_id: 2,
      user: { uid: member, email_addr: 'ada@example.com' },
      src_endpoint: { ip: '203.0.113.7' },
    });
    expect(ocsfOf(entry('UserSignedIn'))).toMatchObject({ status_id: 1, severity_id: 1 });
  });

  it('has milliseconds, the number in the log, and what finds it in an export', () => {
    expect(ocsfOf(entry('UserSignedIn'))).toMatchObject({
      time: Date.parse('2027-01-31T09:30:00.123Z'),
      metadata: {
        sequence: 7,
        event_code: 'UserSignedIn',
        original_time: '2027-01-31T09:30:00.123Z',
      },
      unmapped: { leaf: 'bGVhZg==', data: { userId: member } },
    });
  });

  it('has a checkpoint as it was signed', () => {
    const signed = { text: 'tallyhand audit log', keyId: 'k', signature: 's' };
    const { organizationId, at } = entry('');
    const record = ocsfOfCheckpoint({ organizationId, size: 14, at, signed });
    expectValid(record);
    expect(record).toMatchObject({ metadata: { sequence: 14 }, unmapped: { checkpoint: signed } });
  });
});
