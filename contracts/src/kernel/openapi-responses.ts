import type { Endpoint } from './endpoint.ts';
import {
  DependencyDown,
  ForeignOrigin,
  IdempotencyKeyReused,
  InternalFault,
  KeyNotAllowed,
  KeyReadsOnly,
  MalformedRequest,
  NotFound,
  NotSignedIn,
  PayloadTooLarge,
  ReadModelsBehind,
  RoleNotAllowed,
  TooManyRequests,
  UnsupportedContentEncoding,
  UnsupportedMediaType,
  ValidationFailed,
} from './problem.ts';
import type { DeclaredRefusal } from './refusal.ts';

/** Statuses whose answers have `Retry-After`. */
const RETRIED: readonly number[] = [TooManyRequests.status, DependencyDown.status];

/** Every refusal of a call as responses by status: the general ones and the call's own. */
export function refusalResponses(endpoint: Endpoint): Record<string, unknown> {
  const all = [...generalRefusals(endpoint), ...(endpoint.refusals ?? [])];
  const byStatus = Map.groupBy(all, ({ status }) => status);
  return Object.fromEntries(
    [...byStatus]
      .sort(([a], [b]) => a - b)
      .map(([status, kinds]) => [status, answer(status, kinds)]),
  );
}

function generalRefusals(endpoint: Endpoint): readonly DeclaredRefusal[] {
  const { method, params, body, isPublic, takesApiKeys } = endpoint;
  const isRead = method === 'GET';
  return [
    MalformedRequest,
    ...(isPublic ? [] : [NotSignedIn, RoleNotAllowed]),
    ...(takesApiKeys ? [] : [KeyNotAllowed]),
    ...(isRead || !takesApiKeys ? [] : [KeyReadsOnly]),
    ...(isRead ? [ReadModelsBehind] : [ForeignOrigin]),
    ...(isRead || isPublic ? [] : [IdempotencyKeyReused]),
    ...(params ? [NotFound] : []),
    ...(body ? [PayloadTooLarge, UnsupportedContentEncoding, UnsupportedMediaType] : []),
    ValidationFailed,
    TooManyRequests,
    InternalFault,
    DependencyDown,
  ];
}

function answer(status: number, kinds: readonly DeclaredRefusal[]) {
  const codes = kinds.map(({ code }) => code);
  return {
    description: `Refused: ${codes.join(', ')}.`,
    ...(RETRIED.includes(status)
      ? { headers: { 'Retry-After': { description: 'Seconds.', schema: { type: 'integer' } } } }
      : {}),
    content: {
      'application/problem+json': {
        schema: {
          allOf: [
            { $ref: '#/components/schemas/Problem' },
            { type: 'object', properties: { code: { enum: codes } } },
          ],
        },
      },
    },
  };
}
