import { z } from 'zod';
import { AUDIT_READERS, PUBLIC } from '../../kernel/access.ts';
import { endpoint } from '../../kernel/endpoint.ts';
import { Id, Instant } from '../../kernel/ids.ts';
import { AUDIT_KEYS_PATH } from '../../web-paths.ts';
import { AuditFilter } from './audit.endpoints.ts';
import {
  AuditLogDiffers,
  AuditSignerUnavailable,
  ExportNotFinished,
} from './audit-exports.refusals.ts';

const feature = 'audit';
const exportId = z.object({ id: Id });

/** Far more than any checkpoint has. */
const CHECKPOINT_LENGTH_MAX = 1_000;

/** A signed state of the audit log: the root of its tree at a number of entries. */
export const AuditCheckpoint = z.strictObject(
  {
    /** Four lines: what it is, the organization, the number of entries, and the root (base64). */
    text: z.string('text must be a text').max(CHECKPOINT_LENGTH_MAX),
    keyId: z.string('keyId must be a text').max(CHECKPOINT_LENGTH_MAX),
    /** Ed25519 over `text`, base64. */
    signature: z.string('signature must be a text').max(CHECKPOINT_LENGTH_MAX),
  },
  'since must be a checkpoint',
);
export type AuditCheckpoint = z.infer<typeof AuditCheckpoint>;

const LogSize = (name: string) =>
  z.coerce
    .number(`${name} must be a number`)
    .int(`${name} must be a whole number`)
    .min(1, `${name} must be at least 1`);

/** Proves that a log has only grown (RFC 9162, 2.1.4). */
export const AuditConsistency = z.object({
  /** The log at `from` entries. */
  earlier: AuditCheckpoint,
  /** The log at `to` entries. */
  later: AuditCheckpoint,
  /** Hashes (base64), in the order of RFC 9162. */
  proof: z.array(z.string()),
});
export type AuditConsistency = z.infer<typeof AuditConsistency>;

/** The last comparison of the audit log with the event store. */
export const AuditCheck = z.object({
  /** Null before the first. */
  checkedAt: Instant.nullable(),
  /** The entries among which it differs; null if it does not. */
  difference: z
    .object({
      /**
       * Where: `store` if events are not what was computed or signed of them earlier, `rows` if what
       * an export would contain are not the events.
       */
      place: z.enum(['store', 'rows']),
      first: z.int(),
      last: z.int(),
      foundAt: Instant,
    })
    .nullable(),
  /** The newest time-stamp of the log; null if the operator has set no authority. */
  stamped: z.object({ at: Instant, authority: z.string() }).nullable(),
});
export type AuditCheck = z.infer<typeof AuditCheck>;

/** How long a finished export can be downloaded. It can be created again at any time. */
export const EXPORT_KEPT_DAYS = 7;

/** An export of the audit log as a bundle with proofs. */
export const AuditExport = z.object({
  id: Id,
  status: z.enum(['queued', 'running', 'finished', 'failed']),
  format: z.enum(['ndjson', 'csv']),
  /** As requested. */
  filter: z.record(z.string(), z.string()),
  /** Number of entries in the log that the export proves, whether or not they match the filter. */
  upTo: z.int(),
  /** Number of entries of the checkpoint that the export continues from; null if it was not named. */
  since: z.int().nullable(),
  /** Number of entries processed so far. */
  done: z.int(),
  /** Number of entries in the export. */
  rows: z.int(),
  /** Of the finished file. */
  bytes: z.int().nullable(),
  requestedBy: z.object({ id: Id, name: z.string().nullable() }),
  createdAt: Instant,
  expiresAt: Instant,
});
export type AuditExport = z.infer<typeof AuditExport>;

/** Public keys that sign audit logs, in the formats that tools read. */
export const AuditKey = z.object({
  /** The first 8 bytes (hex) of the SHA-256 of the key. */
  keyId: z.string(),
  algorithm: z.literal('Ed25519'),
  /** 32 bytes as base64. */
  raw: z.string(),
  pem: z.string(),
  /** RFC 8037. */
  jwk: z.object({
    kty: z.literal('OKP'),
    crv: z.literal('Ed25519'),
    x: z.string(),
    alg: z.literal('EdDSA'),
    use: z.literal('sig'),
  }),
});
export type AuditKey = z.infer<typeof AuditKey>;

/** A key that signs audit logs, with the signatures that link it to the key before it. */
export const AuditKeyEntry = z.object({
  /** The first 8 bytes (hex) of the SHA-256 of the key. */
  keyId: z.string(),
  /** 32 bytes (Ed25519) as base64. */
  publicKey: z.string(),
  /** When it replaced the key before it, or the history began. */
  since: Instant,
  /** The id of the key before it; null for the first. */
  previous: z.string().nullable(),
  /** By this key, base64. */
  signature: z.string(),
  /** By the key before it, base64; null for the first. */
  previousSignature: z.string().nullable(),
});
export type AuditKeyEntry = z.infer<typeof AuditKeyEntry>;

export const AuditKeyHistory = z.object({
  /** The newest last. */
  keys: z.array(AuditKeyEntry),
});
export type AuditKeyHistory = z.infer<typeof AuditKeyHistory>;

const auditExportExample: AuditExport = {
  id: '0193a1b2-0000-7000-8000-000000000001',
  status: 'finished',
  format: 'csv',
  filter: { kind: 'task' },
  upTo: 14,
  since: null,
  done: 14,
  rows: 3,
  requestedBy: { id: '0193a1b2-0000-7000-8000-000000000002', name: 'Ada Lovelace' },
  createdAt: '2027-01-31T09:30:00.000Z',
  expiresAt: '2027-02-07T09:30:00.000Z',
  bytes: 5773,
};

export const startAuditExport = endpoint({
  name: 'startAuditExport',
  method: 'POST',
  path: '/api/audit/exports',
  access: AUDIT_READERS,
  feature,
  summary: 'Create an audit export',
  description:
    'Exports the audit log entries that match the filter, in the background. The same request with the same `upTo` gives the same bytes, except for data erased in the meantime.',
  body: z.strictObject({
    format: z.enum(['ndjson', 'csv'], 'Format must be ndjson or csv'),
    filter: z
      .strictObject(AuditFilter, {
        error: ({ code }) =>
          code === 'invalid_type' ? 'filter must hold what narrows the log' : undefined,
      })
      .default({}),
    /** Export the log as it was at this sequence; by default the current log. */
    upTo: z.int('upTo must be a sequence of the audit log').min(1).optional(),
    /** Prove that the log continues from this checkpoint; by default from the newest that is stored. */
    since: AuditCheckpoint.optional(),
    /** Prove that the log continues from its state at this number of entries. */
    sinceSize: z.int('sinceSize must be a sequence of the audit log').min(1).optional(),
  }),
  example: { format: 'csv', filter: { kind: 'agent' } },
  status: 202,
  answer: AuditExport,
  answerExample: auditExportExample,
  location: '/api/audit/exports/{id}',
  refusals: [AuditLogDiffers],
});
export const listAuditExports = endpoint({
  name: 'listAuditExports',
  method: 'GET',
  path: '/api/audit/exports',
  access: AUDIT_READERS,
  feature,
  summary: 'List audit exports',
  description: 'Returns the exports that can be downloaded, newest first.',
  status: 200,
  answer: z.array(AuditExport),
  answerExample: [auditExportExample],
});
export const getAuditExport = endpoint({
  name: 'getAuditExport',
  method: 'GET',
  path: '/api/audit/exports/{id}',
  access: AUDIT_READERS,
  feature,
  summary: 'Retrieve an audit export',
  description: 'Returns the progress of an export of the audit log.',
  params: exportId,
  status: 200,
  answer: AuditExport,
  answerExample: auditExportExample,
});
export const downloadAuditExport = endpoint({
  name: 'downloadAuditExport',
  method: 'GET',
  path: '/api/audit/exports/{id}/download',
  access: AUDIT_READERS,
  feature,
  summary: 'Download an audit export',
  description:
    'Returns a finished export as a ZIP file. A `Range` header resumes an interrupted download.',
  params: exportId,
  status: 200,
  media: 'application/zip',
  refusals: [ExportNotFinished],
});
const CHECKPOINT = {
  text: 'tallyhand audit log\n0193a1b2-0000-7000-8000-000000000001\n14\nx8tcGzGs0zQ2yqIh6fgW1oQyTz7qHqWbQm4nJ2eCw0k=\n',
  keyId: 'd90ef2895b768299',
  signature:
    'q1Yw0mD7o5h4kXr9s2Qb8vTz3nLc6jPe0aUuGfWxJyRiSdKlHtBpNgMqVrEoCzAs5b4c3d2e1f0g9h8i7j6kCw==',
};

export const getAuditCheckpoint = endpoint({
  name: 'getAuditCheckpoint',
  method: 'GET',
  path: '/api/audit/checkpoint',
  access: AUDIT_READERS,
  feature,
  summary: 'Retrieve an audit checkpoint',
  description:
    'Returns the signed state of the audit log. Keep it: a later export or proof of consistency shows whether the log still begins with the same entries.',
  status: 200,
  answer: AuditCheckpoint,
  answerExample: CHECKPOINT,
  refusals: [AuditSignerUnavailable],
});
export const getAuditConsistency = endpoint({
  name: 'getAuditConsistency',
  method: 'GET',
  path: '/api/audit/consistency',
  access: AUDIT_READERS,
  feature,
  summary: 'Prove audit log consistency',
  description:
    'Returns a proof that the audit log at `to` entries begins with the log at `from` entries (RFC 9162), with both signed states.',
  query: z.strictObject({
    from: LogSize('from').meta({ examples: [1] }),
    to: LogSize('to')
      .meta({ description: 'The current number of entries where nothing is said.' })
      .optional(),
  }),
  status: 200,
  answer: AuditConsistency,
  answerExample: {
    earlier: {
      text: 'tallyhand audit log\n0193a1b2-0000-7000-8000-000000000001\n7\nNwMtMFvP3cKbcOgdRPuJBOgG6kyvOpNbiJCTBcuW1WM=\n',
      keyId: 'd90ef2895b768299',
      signature:
        'Gk0TKxsx+3hqxJ6s8Z1WkMVRrTq8Ix8pPjqkV0mPZc9qW1bN4cU2yQ1dQeT7nSg1Yp0oJk0m5v8h2r3s4t5uCg==',
    },
    later: CHECKPOINT,
    proof: ['6HXoDCNPUCcH6PpQbcDfBpQUUNYfzMxL6bqqGUdVBF0='],
  },
  refusals: [AuditLogDiffers, AuditSignerUnavailable],
});
export const getAuditCheck = endpoint({
  name: 'getAuditCheck',
  method: 'GET',
  path: '/api/audit/check',
  access: AUDIT_READERS,
  feature,
  summary: 'Retrieve the audit log check',
  description:
    'Returns when the audit log was last compared with the event store, and whether it differs. The product compares them at every start and each hour.',
  status: 200,
  answer: AuditCheck,
  answerExample: {
    checkedAt: '2026-11-21T09:00:00.000Z',
    difference: { place: 'store', first: 812, last: 840, foundAt: '2026-11-21T09:00:00.000Z' },
    stamped: { at: '2026-11-21T08:30:00.000Z', authority: 'Example Time-Stamping 2026' },
  },
});
export const downloadAuditTimestamps = endpoint({
  name: 'downloadAuditTimestamps',
  method: 'GET',
  path: '/api/audit/timestamps',
  access: AUDIT_READERS,
  feature,
  summary: 'Download audit time-stamps',
  description:
    'Returns the checkpoints of the audit log that an independent authority has time-stamped (RFC 3161), one JSON object per line, oldest first. Empty if the operator has set no authority.',
  status: 200,
  media: 'application/x-ndjson',
});
export const listAuditKeys = endpoint({
  name: 'listAuditKeys',
  method: 'GET',
  path: '/api/audit/keys',
  access: AUDIT_READERS,
  feature,
  summary: 'List audit keys',
  description: 'Returns the public keys that verify audit exports, the newest first.',
  status: 200,
  answer: z.array(AuditKey),
  answerExample: [
    {
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
  ],
});
export const getAuditKeyHistory = endpoint({
  name: 'getAuditKeyHistory',
  method: 'GET',
  path: AUDIT_KEYS_PATH,
  access: PUBLIC,
  feature,
  summary: 'Retrieve the audit key history',
  description:
    'Returns every key that has signed audit logs of this installation. Each is signed by the key before it, so that an older key leads to the newest.',
  status: 200,
  answer: AuditKeyHistory,
  answerExample: {
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
});
