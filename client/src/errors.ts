import type { CommonCode, ProblemCodes } from './generated/api.ts';

/** The base of everything that the client throws, except the reason of your own abort signal. */
export class TallyhandError extends Error {
  override readonly name: string = 'TallyhandError';
}

/** No response: the address is wrong, the network is down, or the connection broke. */
export class ConnectionError extends TallyhandError {
  override readonly name = 'ConnectionError';
}

/** The call, or its last attempt, took longer than `timeoutMs` or `attemptTimeoutMs`. */
export class TimeoutError extends TallyhandError {
  override readonly name = 'TimeoutError';
}

/** The answer is not one of Tallyhand's: not JSON, too large, a redirect, a broken stream. */
export class AnswerError extends TallyhandError {
  override readonly name = 'AnswerError';
}

/** The name of a call, such as `agents.execute`. */
export type CallName = keyof ProblemCodes;

/** A field of the request that breaks a rule. */
export type FieldError = { readonly path: string; readonly message: string };

export type ApiErrorParts = {
  readonly call: CallName;
  readonly status: number;
  readonly requestId: string | undefined;
  readonly retryAfterMs: number | undefined;
  /** The body, if it was JSON. */
  readonly problem: unknown;
};

const textIn = (value: unknown) => (typeof value === 'string' ? value : undefined);

/** The fields of an object; none of anything else. */
const fieldsOf = (value: unknown): Readonly<Record<string, unknown>> =>
  typeof value === 'object' && value !== null ? (value as Record<string, unknown>) : {};

function fieldErrorsIn(value: unknown): FieldError[] {
  const errors = Array.isArray(value) ? value.map(fieldsOf) : [];
  return errors.map(({ path, message }) => ({ path: String(path), message: String(message) }));
}

/** Tallyhand, or a proxy before it, refused the call. */
export class ApiError<Code extends string = string> extends TallyhandError {
  override readonly name = 'ApiError';
  readonly call: CallName;
  readonly status: number;
  /** Stable, for programs. Undefined if a proxy refused the call and not Tallyhand. */
  readonly code: Code | undefined;
  /** What happened and what to do, for people. */
  readonly detail: string | undefined;
  /** The fields that break a rule. */
  readonly errors: readonly FieldError[];
  /** Values of the detail, such as `available` and `requested`. */
  readonly params: Readonly<Record<string, unknown>>;
  /** Names the call in Tallyhand's logs. */
  readonly requestId: string | undefined;
  /** How long the server asks to wait. */
  readonly retryAfterMs: number | undefined;

  constructor({ call, status, requestId, retryAfterMs, problem }: ApiErrorParts) {
    const given = fieldsOf(problem);
    const code = textIn(given.code);
    const detail = textIn(given.detail);
    super(`${call}: ${[status, code].filter(Boolean).join(' ')}${detail ? `: ${detail}` : ''}`);
    this.call = call;
    this.status = status;
    this.code = code as Code | undefined;
    this.detail = detail;
    this.errors = fieldErrorsIn(given.errors);
    this.params = fieldsOf(given.params);
    this.requestId = textIn(given.correlationId) ?? requestId;
    this.retryAfterMs = retryAfterMs;
  }
}

/**
 * Whether the error is a problem of this call, with the codes that the call declares:
 * `if (isProblem(error, 'agents.execute')) switch (error.code) { … }`.
 */
export function isProblem<Name extends CallName>(
  error: unknown,
  call: Name,
): error is ApiError<ProblemCodes[Name]> & { readonly code: ProblemCodes[Name] };
export function isProblem(
  error: unknown,
): error is ApiError<CommonCode> & { readonly code: string };
export function isProblem(error: unknown, call?: CallName): boolean {
  if (!(error instanceof ApiError) || error.code === undefined) return false;
  return call === undefined || error.call === call;
}
