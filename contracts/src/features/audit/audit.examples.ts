import type { AnswerExamples } from '../../kernel/answer-examples.ts';
import type * as changes from '../../kernel/changes.ts';
import type * as audit from './audit.endpoints.ts';
import type * as auditExports from './audit-exports.endpoints.ts';
import type * as auditPublishing from './audit-publishing.endpoints.ts';
import type * as deletions from './deletions.endpoints.ts';
import type * as logStream from './log-stream.endpoints.ts';

const CHECKPOINT = {
  text: 'tallyhand audit log\n0193a1b2-0000-7000-8000-000000000001\n14\nx8tcGzGs0zQ2yqIh6fgW1oQyTz7qHqWbQm4nJ2eCw0k=\n',
  keyId: 'd90ef2895b768299',
  signature:
    'q1Yw0mD7o5h4kXr9s2Qb8vTz3nLc6jPe0aUuGfWxJyRiSdKlHtBpNgMqVrEoCzAs5b4c3d2e1f0g9h8i7j6kCw==',
};

const LOG_STREAM = {
  kind: 'splunk',
  address: 'https://splunk.example.com:8088',
  delivered: 12,
  deliveredAt: '2027-01-31T09:30:02.000Z',
  failingSince: null,
  failure: null,
  nextAttemptAt: null,
  createdAt: '2027-01-31T09:00:00.000Z',
} as const;

export const auditExamples: AnswerExamples<
  typeof audit &
    typeof auditExports &
    typeof auditPublishing &
    typeof logStream &
    typeof deletions &
    typeof changes
> = {
  AuditEntry: {
    sequence: 10,
    id: '0193a1b2-0000-7000-8000-000000000001',
    type: 'CreditsReserved',
    at: '2027-01-31T09:30:00.000Z',
    actor: {
      kind: 'member',
      id: '0193a1b2-0000-7000-8000-000000000002',
      name: 'Ada Lovelace',
    },
    address: '203.0.113.7',
    signInId: '0193a1b2-0000-7000-8000-000000000003',
    correlationId: '0193a1b2-0000-7000-8000-000000000004',
    causationId: null,
    object: {
      kind: 'task',
      id: '0193a1b2-0000-7000-8000-000000000005',
      name: 'How long do returns take?',
    },
    changes: [
      {
        field: 'work',
        before: null,
        after: {
          id: '0193a1b2-0000-7000-8000-000000000005',
          kind: 'task',
        },
      },
      {
        field: 'price',
        before: null,
        after: 1,
      },
    ],
    count: 1,
    ledgerEntry: 2,
  },
  RecordedEvent: {
    sequence: 8,
    id: '0193a1b2-0000-7000-8000-000000000001',
    type: 'AgentCreated',
    schemaVersion: 1,
    at: '2027-01-31T09:30:00.000Z',
    stream: 'agent-0193a1b2-0000-7000-8000-000000000002',
    actor: {
      kind: 'member',
      id: '0193a1b2-0000-7000-8000-000000000003',
      signInId: '0193a1b2-0000-7000-8000-000000000004',
    },
    correlationId: '0193a1b2-0000-7000-8000-000000000005',
    causationId: null,
    commandId: '0193a1b2-0000-7000-8000-000000000006',
    data: {
      name: 'Support',
      agentId: '0193a1b2-0000-7000-8000-000000000002',
      persona: {
        role: 'Support agent',
        expertise: ['Returns'],
        personality: 'Patient, precise and kind',
        responseFormat: 'concise',
        communicationStyle: 'friendly',
      },
      version: 1,
      isActive: true,
      description: 'Answers the questions of customers',
      organizationId: '0193a1b2-0000-7000-8000-000000000007',
    },
  },
  AuditExport: {
    id: '0193a1b2-0000-7000-8000-000000000001',
    status: 'finished',
    format: 'csv',
    filter: {
      kind: 'task',
    },
    upTo: 14,
    since: null,
    done: 14,
    rows: 3,
    requestedBy: {
      id: '0193a1b2-0000-7000-8000-000000000002',
      name: 'Ada Lovelace',
    },
    createdAt: '2027-01-31T09:30:00.000Z',
    expiresAt: '2027-02-07T09:30:00.000Z',
    bytes: 5773,
  },
  AuditCheckpoint: CHECKPOINT,
  AuditCheck: {
    checkedAt: '2026-11-21T09:00:00.000Z',
    difference: { place: 'store', first: 812, last: 840, foundAt: '2026-11-21T09:00:00.000Z' },
    stamped: { at: '2026-11-21T08:30:00.000Z', authority: 'Example Time-Stamping 2026' },
  },
  AuditPublishing: {
    every: 'day',
    mailTo: ['0193a1b2-0000-7000-8000-000000000002'],
    last: { at: '2027-01-31T00:00:12.000Z', size: 14 },
  },
  AuditPublishingChoice: { every: 'day', mailTo: ['0193a1b2-0000-7000-8000-000000000002'] },
  LogStreaming: { stream: LOG_STREAM, entries: 14 },
  NewLogStream: { ...LOG_STREAM, secret: null },
  AuditConsistency: {
    earlier: {
      text: 'tallyhand audit log\n0193a1b2-0000-7000-8000-000000000001\n7\nNwMtMFvP3cKbcOgdRPuJBOgG6kyvOpNbiJCTBcuW1WM=\n',
      keyId: 'd90ef2895b768299',
      signature:
        'Gk0TKxsx+3hqxJ6s8Z1WkMVRrTq8Ix8pPjqkV0mPZc9qW1bN4cU2yQ1dQeT7nSg1Yp0oJk0m5v8h2r3s4t5uCg==',
    },
    later: CHECKPOINT,
    proof: ['6HXoDCNPUCcH6PpQbcDfBpQUUNYfzMxL6bqqGUdVBF0='],
  },
  AuditKey: {
    keyId: 'd90ef2895b768299',
    raw: '5rkGAxS70NEAdJJuTRtw+BJ5OET5w4jRZwSduN3zY6k=',
    pem: '-----BEGIN PUBLIC KEY-----\nMCowBQYDK2VwAyEA5rkGAxS70NEAdJJuTRtw+BJ5OET5w4jRZwSduN3zY6k=\n-----END PUBLIC KEY-----\n',
    algorithm: 'Ed25519',
    jwk: {
      kty: 'OKP',
      crv: 'Ed25519',
      alg: 'EdDSA',
      use: 'sig',
      x: '5rkGAxS70NEAdJJuTRtw-BJ5OET5w4jRZwSduN3zY6k',
    },
  },
  AuditKeyHistory: {
    keys: [
      {
        keyId: 'd90ef2895b768299',
        publicKey: '5rkGAxS70NEAdJJuTRtw+BJ5OET5w4jRZwSduN3zY6k=',
        since: '2027-01-31T09:30:00.000Z',
        previous: null,
        signature: CHECKPOINT.signature,
        previousSignature: null,
      },
    ],
  },
  Deletion: {
    kind: 'article',
    id: '0193a1b2-0000-7000-8000-000000000001',
    name: 'Returns',
    actor: {
      id: '0193a1b2-0000-7000-8000-000000000002',
      name: 'Ada Lovelace',
    },
    createdAt: '2027-01-31T09:30:00.000Z',
  },
  LoggedEvent: {
    sequence: 32,
    id: '0193a1b2-0000-7000-8000-000000000001',
    type: 'CreditsReserved',
    at: '2027-01-31T09:30:00.000Z',
    actor: {
      kind: 'member',
      id: '0193a1b2-0000-7000-8000-000000000002',
      name: 'Ada Lovelace',
    },
    correlationId: '0193a1b2-0000-7000-8000-000000000003',
    causationId: null,
    object: {
      kind: 'task',
      id: '0193a1b2-0000-7000-8000-000000000004',
      name: 'Hello',
    },
    changes: [
      {
        field: 'work',
        before: null,
        after: {
          id: '0193a1b2-0000-7000-8000-000000000004',
          kind: 'task',
        },
      },
      {
        field: 'price',
        before: null,
        after: 1,
      },
    ],
    count: 1,
    ledgerEntry: 2,
  },
  HistoryEntry: {
    id: '0193a1b2-0000-7000-8000-000000000001',
    sequence: 46,
    version: 1,
    kind: 'created',
    restoredFrom: null,
    actor: {
      id: '0193a1b2-0000-7000-8000-000000000002',
      name: 'Ada Lovelace',
    },
    changes: [
      {
        after: 'Orders',
        field: 'name',
        before: null,
      },
      {
        after: 'Looks orders up in the shop',
        field: 'description',
        before: null,
      },
    ],
    createdAt: '2027-01-31T09:30:00.000Z',
  },
};
