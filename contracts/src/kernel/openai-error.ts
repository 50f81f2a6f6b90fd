import { z } from 'zod';
import {
  DependencyDown,
  InternalFault,
  type Problem,
  ReadModelsBehind,
  ServerQueueFull,
  ValidationFailed,
} from './problem.ts';

/** An error as OpenAI's API answers it. `code`, `params` and `errors` are those of the problem. */
export const OpenAiError = z.object({
  error: z.object({
    message: z.string(),
    type: z.string(),
    /** The first field that is wrong, as `messages[0].content`. */
    param: z.string().nullable(),
    code: z.string(),
    params: z.record(z.string(), z.unknown()).optional(),
    errors: z.array(z.object({ path: z.string(), message: z.string() })).optional(),
    correlationId: z.string().optional(),
  }),
});
export type OpenAiError = z.infer<typeof OpenAiError>;

const TYPES: Readonly<Record<number, string>> = {
  401: 'authentication_error',
  402: 'insufficient_quota',
  403: 'permission_error',
  429: 'rate_limit_error',
};

/** OpenAI answers 400 where the rest of the API answers 422. */
export const openAiStatus = (status: number): number =>
  status === ValidationFailed.status ? 400 : status;

export function openAiErrorOf(problem: Problem): OpenAiError {
  const { detail, status, code, params, errors, correlationId } = problem;
  const path = errors?.[0]?.path;
  return {
    error: {
      message: detail,
      type: status >= 500 ? 'server_error' : (TYPES[status] ?? 'invalid_request_error'),
      param: path ? path.replace(/\.(\d+)(?=\.|$)/g, '[$1]') : null,
      code,
      ...(params ? { params } : {}),
      ...(errors ? { errors } : {}),
      ...(correlationId ? { correlationId } : {}),
    },
  };
}

/** Refusals of calls that have done nothing. */
const NOT_BEGUN: readonly string[] = [ServerQueueFull.code, ReadModelsBehind.code];
/** What may also happen after a call has begun its work. */
const FAULTS: readonly string[] = [InternalFault.code, DependencyDown.code];

/**
 * Whether a program may repeat the call by itself, as OpenAI's libraries do: not where that could do
 * the work twice. `isOnce`: a repeated call does nothing twice.
 */
export const mayRepeat = (
  { status, code }: Pick<Problem, 'status' | 'code'>,
  isOnce: boolean,
): boolean => status === 429 || NOT_BEGUN.includes(code) || (isOnce && FAULTS.includes(code));
