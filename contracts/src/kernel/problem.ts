import { z } from 'zod';
import { refusal } from './refusal.ts';

/** RFC 9457, the body of every answer that is not 2xx. */
export const Problem = z.object({
  type: z.string(),
  title: z.string(),
  status: z.int(),
  detail: z.string(),
  code: z.string(),
  params: z.record(z.string(), z.unknown()).optional(),
  errors: z.array(z.object({ path: z.string(), message: z.string() })).optional(),
  correlationId: z.string().optional(),
});
export type Problem = z.infer<typeof Problem>;

export const MalformedRequest = refusal(
  'malformed-request',
  400,
  'Malformed request',
  (p: { reason: string }) => p.reason,
);
export const ValidationFailed = refusal(
  'validation-failed',
  422,
  'Some fields are invalid',
  (p: { summary: string }) => p.summary,
);
/** Refuses a request for one wrong field. `message` starts with a capital letter, without a full stop. */
export const invalidField = (path: string, message: string) =>
  ValidationFailed({ summary: `${path}: ${message}.` }, [{ path, message }]);
export const NotSignedIn = refusal(
  'not-signed-in',
  401,
  'Not signed in',
  () => 'Sign in to do this.',
);
export const AuditorAccessEnded = refusal(
  'auditor-access-ended',
  403,
  'Access ended',
  /** The last day, in UTC. */
  (p: { lastDay: string }) =>
    `Your access as an auditor ended on ${p.lastDay}. An Admin of the organization can extend it.`,
);
export const RoleNotAllowed = refusal(
  'role-not-allowed',
  403,
  'Role not allowed',
  (p: { role: string; allowed: readonly string[] }) =>
    `Your role (${p.role}) doesn't allow this. Required: ${p.allowed.join(' or ')}.`,
);
export const KeyNotAllowed = refusal(
  'key-not-allowed',
  403,
  'API key not allowed',
  () => "API keys can't manage personal accounts. Sign in instead.",
);
export const KeyReadsOnly = refusal(
  'key-reads-only',
  403,
  'Read-only API key',
  () => 'API keys with the role Viewer are read-only. Use a key with another role.',
);
export const ForeignOrigin = refusal(
  'foreign-origin',
  403,
  'Foreign origin',
  () => 'This request came from another site and was blocked.',
);
export const NotFound = refusal(
  'not-found',
  404,
  'Not found',
  (p: { what: string }) => `There is no such ${p.what}.`,
);
export const PayloadTooLarge = refusal(
  'payload-too-large',
  413,
  'Too large',
  (p: { bytesMax: number }) => `The request is too large. The limit is ${p.bytesMax} bytes.`,
);
export const UnsupportedMediaType = refusal(
  'unsupported-media-type',
  415,
  'Unsupported content type',
  () => 'Send the body as application/json.',
);
export const UnsupportedContentEncoding = refusal(
  'unsupported-content-encoding',
  415,
  'Unsupported content encoding',
  () => 'Send the body without Content-Encoding.',
);
export const TooManyRequests = refusal(
  'too-many-requests',
  429,
  'Too many requests',
  (p: { retryAfterSeconds: number }) =>
    `Too many requests. Try again in ${p.retryAfterSeconds} seconds.`,
);
/** Open streams of changes (`/api/events`). */
export const TooManyStreams = refusal(
  'too-many-streams',
  429,
  'Too many streams',
  (p: { scope: 'sign-in' | 'member' | 'organization'; retryAfterSeconds: number }) =>
    `Too many open streams (limit per ${p.scope}). Close one, or poll, and try again in ${p.retryAfterSeconds} seconds.`,
);
export const OrganizationQueueFull = refusal(
  'organization-queue-full',
  429,
  'Queue full',
  (p: { retryAfterSeconds: number }) =>
    `Your organization has too much work in the queue. Try again in ${p.retryAfterSeconds} seconds.`,
);
export const ServerQueueFull = refusal(
  'server-queue-full',
  503,
  'Queue full',
  (p: { retryAfterSeconds: number }) =>
    `The server is busy. Try again in ${p.retryAfterSeconds} seconds.`,
);
export const IdempotencyKeyReused = refusal(
  'idempotency-key-reused',
  409,
  'Idempotency key reused',
  () => 'This Idempotency-Key was already used with a different request.',
);
export const DependencyDown = refusal(
  'dependency-down',
  503,
  'Temporarily unavailable',
  (p: { what: string }) => `${p.what} can't be reached right now. Try again soon.`,
);
export const ReadModelsBehind = refusal(
  'read-models-behind',
  503,
  'Still catching up',
  () => "Your last change isn't visible yet. Try again in a moment.",
);
export const InternalFault = refusal(
  'internal-fault',
  500,
  'Internal fault',
  () => 'Something went wrong on our side. It was recorded under this correlation id.',
);
