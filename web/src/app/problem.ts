import type { Problem } from '@tallyhand/contracts/kernel/problem';
import i18next, { type TFunction } from 'i18next';
import { relativeTimeFormat } from '../ui/formats.ts';

/** Why a call did not succeed. `status` is 0 where no answer came. */
export type CallProblem = {
  status: number;
  code: string;
  detail: string;
  params: Record<string, unknown>;
  errors: readonly { path: string; message: string }[];
  /** `STATUS: detail`. */
  message: string;
  correlationId?: string;
};

/** The code for an answer that is no problem document, such as a proxy's page. */
const NOT_UNDERSTOOD = 'unknown';

function problem(status: number, given: Partial<CallProblem>): CallProblem {
  const detail = given.detail ?? 'The answer of the server was not understood.';
  return {
    code: NOT_UNDERSTOOD,
    params: {},
    errors: [],
    ...given,
    status,
    detail,
    message: `${status}: ${detail}`,
  };
}

export function networkProblem(): CallProblem {
  // Without a network, the fault is not the server's.
  const isOffline = navigator.onLine === false;
  if (isOffline) return problem(0, { code: 'offline', detail: 'There is no network.' });
  return problem(0, { code: 'network', detail: 'The server did not answer.' });
}

/** The problem of an answer other than 2xx. */
export function problemOf(status: number, body: unknown, correlationId?: string): CallProblem {
  return problem(status, { correlationId, ...(isProblem(body) && body) });
}

/** Checked by hand: its schema would bring zod to every page. */
function isProblem(body: unknown): body is Problem {
  if (typeof body !== 'object' || body === null) return false;
  const { detail, code, params = {}, errors = [] } = body as Partial<Record<string, unknown>>;
  return (
    [detail, code].every((text) => typeof text === 'string') &&
    typeof params === 'object' &&
    params !== null &&
    Array.isArray(errors) &&
    errors.every((error) => typeof error?.path === 'string' && typeof error.message === 'string')
  );
}

/** RTK Query types an error as ours or as a serialized exception; both become a problem. */
export function asProblem(error: unknown): CallProblem {
  if (typeof error === 'object' && error !== null && 'detail' in error) return error as CallProblem;
  return problem(0, {});
}

/** Where the server names no time. */
const RETRY_SECONDS = 60;

/** When something may be tried again, in words. */
function soon(retryAfterSeconds: unknown): string {
  const seconds = typeof retryAfterSeconds === 'number' ? retryAfterSeconds : RETRY_SECONDS;
  const format = relativeTimeFormat(i18next.language);
  if (seconds < 120) return format.format(seconds, 'second');
  if (seconds < 7200) return format.format(Math.ceil(seconds / 60), 'minute');
  return format.format(Math.ceil(seconds / 3600), 'hour');
}

/** The parameters that choose between several sentences of one code. */
const VARIANTS = ['reason', 'scope', 'per'] as const;

/**
 * A sentence for the person: translated by the code where it is known, else the server's own, else
 * `fallback`, which says what failed where the answer says nothing.
 */
export function describeProblem(t: TFunction, error: unknown, fallback?: string): string {
  const { code, detail, params } = asProblem(error);
  if (code === NOT_UNDERSTOOD && fallback !== undefined) return fallback;
  const context = VARIANTS.map((name) => params[name]).find((value) => typeof value === 'string');
  return t(`problems:${code}` as 'problems:network', {
    ...params,
    soon: soon(params.retryAfterSeconds),
    context,
    defaultValue: detail,
  });
}
