import type { Protocol } from '@tallyhand/contracts/kernel/endpoint';
import { mayRepeat, openAiErrorOf, openAiStatus } from '@tallyhand/contracts/kernel/openai-error';
import {
  DependencyDown,
  InternalFault,
  MalformedRequest,
  PayloadTooLarge,
  type Problem,
  TooManyRequests,
  UnsupportedMediaType,
} from '@tallyhand/contracts/kernel/problem';
import { isRefusal, type Refusal } from '@tallyhand/contracts/kernel/refusal';
import type { FastifyReply, FastifyRequest } from 'fastify';
import { isEventStoreFault } from '../event-store/event-log.ts';
import { isConnectionFault } from '../postgres/pool.ts';

/** Thrown where a value can't be returned, as in a body parser; answered like the value. */
export class RefusalError extends Error {
  readonly refusal: Refusal;
  constructor(refusal: Refusal) {
    super(refusal.detail);
    this.refusal = refusal;
  }
}

/** Undefined for the calls that are Tallyhand's own, and for addresses that are none. */
export const protocolOf = ({ routeOptions }: FastifyRequest): Protocol | undefined =>
  routeOptions?.config?.protocol;

/** The one place where refusals become problem+json (RFC 9457), or errors of another protocol. */
export function sendProblem(reply: FastifyReply, refused: Refusal): FastifyReply {
  const retryAfter = refused.params.retryAfterSeconds ?? (refused.status === 503 ? 1 : undefined);
  if (retryAfter !== undefined) reply.header('retry-after', String(retryAfter));
  if (refused.status === 401) reply.header('www-authenticate', 'Bearer realm="Tallyhand"');
  if (protocolOf(reply.request)) return sendOpenAiError(reply, refused);
  return reply
    .code(refused.status)
    .type('application/problem+json')
    .send(JSON.stringify(problemOf(refused, reply.request.id)));
}

function sendOpenAiError(reply: FastifyReply, refused: Refusal): FastifyReply {
  const { id, method, headers } = reply.request;
  const isOnce = method === 'GET' || headers['idempotency-key'] !== undefined;
  return reply
    .code(openAiStatus(refused.status))
    .header('x-should-retry', String(mayRepeat(refused, isOnce)))
    .type('application/json')
    .send(JSON.stringify(openAiErrorOf(problemOf(refused, id))));
}

/** The body of a problem, for where it is a part of an answer. */
export function problemOf(refused: Refusal, correlationId: string): Problem {
  return {
    type: 'about:blank',
    title: refused.title,
    status: refused.status,
    detail: refused.detail,
    code: refused.code,
    ...(Object.keys(refused.params).length > 0 ? { params: refused.params } : {}),
    ...(refused.errors ? { errors: [...refused.errors] } : {}),
    correlationId,
  };
}

type Fault = { code?: unknown; statusCode?: unknown; message?: unknown };

/** The answer to a thrown error; an unknown one is an internal fault. */
export function refusalOf(error: unknown, bodyBytesMax: number): Refusal {
  if (error instanceof RefusalError) return error.refusal;
  if (isRefusal(error)) return error;
  const { code, statusCode } = error as Fault;
  if (code === 'FST_ERR_CTP_BODY_TOO_LARGE') return PayloadTooLarge({ bytesMax: bodyBytesMax });
  if (code === 'FST_ERR_CTP_INVALID_MEDIA_TYPE') return UnsupportedMediaType({});
  if (statusCode === 429) return TooManyRequests({ retryAfterSeconds: 60 });
  if (typeof statusCode === 'number' && statusCode >= 400 && statusCode < 500) {
    return MalformedRequest({ reason: 'The request could not be understood.' });
  }
  if (isConnectionFault(error)) return DependencyDown({ what: 'The database' });
  if (isEventStoreFault(error)) return DependencyDown({ what: 'The event store' });
  return InternalFault({});
}
