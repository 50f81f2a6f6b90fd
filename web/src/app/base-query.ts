import type { BaseQueryFn } from '@reduxjs/toolkit/query';
import { getCurrentUser, signOut } from '@tallyhand/contracts/features/identity/identity.endpoints';
import { type Endpoint, type Method, pathOf } from '@tallyhand/contracts/kernel/endpoint';
import type { NotSignedIn } from '@tallyhand/contracts/kernel/problem';
import type { z } from 'zod';
import { endedSignIn } from './ended-sign-in.ts';
import { type CallProblem, networkProblem, problemOf } from './problem.ts';
import { inTrace, randomHex } from './trace.ts';

/** One call, ready to be sent. Changes with the same `idempotencyKey` happen once. */
export type Call = {
  method: Method;
  path: string;
  /** JSON, or a form with a file. */
  body?: unknown;
  idempotencyKey?: string;
  /** The `ETag` of the state that is changed; any other state is refused with 412. */
  ifMatch?: string;
  /** Answer when the work is accepted, not when it is done. */
  respondAsync?: boolean;
};

/** What an answer says besides its body: the cursor of the next page. */
export type AnswerMeta = { next?: string };

export type AnyEndpoint = Endpoint<z.ZodType, z.ZodType, z.ZodType, z.ZodType>;
type Absent = z.ZodUndefined;
/** `void`: a hook may be called without an argument. */
type Nothing = ReturnType<VoidFunction>;

/**
 * What a caller gives to an endpoint, in one object: the parameters of the path, and the body or the
 * query. The only parameter of a path may stand alone.
 */
export type ArgOf<E> =
  E extends Endpoint<infer P, infer Q, infer B, infer _A>
    ? B extends Absent
      ? P extends Absent
        ? Q extends Absent
          ? Nothing
          : z.input<Q> | Nothing
        : string | (z.input<P> & z.input<Q>)
      : P extends Absent
        ? z.input<B>
        : z.input<P> & z.input<B>
    : never;

type Values = Readonly<Record<string, unknown>>;

/** The call of an endpoint of the contracts. */
export function call<E extends AnyEndpoint>(endpoint: E, arg?: ArgOf<E>): Call {
  const { method } = endpoint;
  const names = [...endpoint.path.matchAll(/\{(\w+)\}/g)].map(([, name = '']) => name);
  const values: Values =
    typeof arg === 'string' ? { [names[0] ?? '']: arg } : ((arg ?? {}) as Values);
  const params = Object.fromEntries(names.map((name) => [name, String(values[name])]));
  const path = pathOf(endpoint, params);
  const rest = Object.entries(values).filter(([name]) => !names.includes(name));
  if (method !== 'GET') {
    return { method, path, body: rest.length > 0 ? Object.fromEntries(rest) : undefined };
  }
  const search = new URLSearchParams(
    rest.flatMap(([name, value]) => (value === undefined ? [] : [[name, String(value)]])),
  ).toString();
  return { method, path: search ? `${path}?${search}` : path };
}

// Its declaration stands among schemas, which would bring zod to every page.
const NOT_SIGNED_IN: ReturnType<typeof NotSignedIn>['code'] = 'not-signed-in';
const RETRY_AFTER_MS = 500;

/**
 * Where the server's data stood at the newest read of the current user. All that a page shows is
 * read after it, so live changes need only start there.
 */
export const userRead: { position?: string } = {};

/** The cursor in a `Link` header that leads on, or undefined on the last page. */
export function nextCursor(link: string | null): string | undefined {
  const target = /<([^>]*)>;\s*rel="next"/.exec(link ?? '')?.[1];
  if (target === undefined) return undefined;
  return new URLSearchParams(target.split('?')[1]).get('cursor') ?? undefined;
}

async function send(request: Call, signal: AbortSignal, traceparent: string) {
  const { method, path, body, idempotencyKey, ifMatch, respondAsync } = request;
  // The browser adds the boundary of a multipart form itself.
  const isForm = body instanceof FormData;
  const response = await fetch(path, {
    method,
    signal,
    credentials: 'same-origin',
    headers: {
      Accept: 'application/json',
      Traceparent: traceparent,
      ...(body === undefined || isForm ? {} : { 'Content-Type': 'application/json' }),
      ...(idempotencyKey === undefined ? {} : { 'Idempotency-Key': idempotencyKey }),
      ...(ifMatch === undefined ? {} : { 'If-Match': ifMatch }),
      ...(respondAsync ? { Prefer: 'respond-async' } : {}),
    },
    ...(body === undefined ? {} : { body: isForm ? body : JSON.stringify(body) }),
  });
  const text = await response.text();
  let data: unknown = null;
  try {
    if (text !== '') data = JSON.parse(text);
  } catch {
    // Not from the server, such as a proxy's page: its status still counts.
  }
  if (response.ok && path === pathOf(getCurrentUser)) {
    userRead.position = response.headers.get('Tallyhand-Position') ?? undefined;
  }
  if (response.ok) return { data, meta: { next: nextCursor(response.headers.get('Link')) } };
  const correlationId = response.headers.get('Tallyhand-Correlation-Id') ?? undefined;
  return { error: problemOf(response.status, data, correlationId) };
}

const wait = (ms: number) => new Promise<void>((resolve) => setTimeout(resolve, ms));

async function attempt(request: Call, signal: AbortSignal) {
  try {
    return await inTrace(request.method, (traceparent) => send(request, signal, traceparent));
  } catch {
    return { error: networkProblem() };
  }
}

async function withRetry(request: Call, signal: AbortSignal) {
  const first = await attempt(request, signal);
  const status = first.error?.status;
  const worthRetrying = status !== undefined && (status === 0 || status >= 500);
  const isRetried = request.method === 'GET' && request.path !== pathOf(getCurrentUser);
  if (!isRetried || !worthRetrying || signal.aborted) return first;
  await wait(RETRY_AFTER_MS);
  return attempt(request, signal);
}

/** Whether a whole list was requested: the answer has up to 1,000 rows and a link to the rest. */
const isWhole = ({ method, path }: Call) =>
  method === 'GET' && !new URLSearchParams(path.split('?')[1]).has('limit');

type Answer = Awaited<ReturnType<typeof attempt>>;

/** A whole list: its first page with all that follow. */
async function withRest(request: Call, first: Answer, signal: AbortSignal): Promise<Answer> {
  if (first.error || !Array.isArray(first.data) || !isWhole(request)) return first;
  const rows: unknown[] = [...first.data];
  let next = first.meta.next;
  while (next !== undefined) {
    const path = `${request.path}${request.path.includes('?') ? '&' : '?'}cursor=${next}`;
    const page = await withRetry({ ...request, path }, signal);
    if (page.error) return page;
    rows.push(...(page.data as unknown[]));
    next = page.meta.next;
  }
  return { data: rows, meta: { next } };
}

/**
 * Same origin, JSON both ways. Reads are retried once after a server fault, except that of the current
 * user. When the sign-in has ended, a call waits for the next sign-in and is made again: it had no
 * effect before. A change that is repeated after its answer was lost happens once.
 */
export const baseQuery: BaseQueryFn<Call, unknown, CallProblem, object, AnswerMeta> = async (
  asked,
  { signal },
) => {
  const request = lostAnswers.withKey(asked);
  const first = await withRetry(request, signal);
  const hasEnded = first.error?.code === NOT_SIGNED_IN && request.path !== pathOf(signOut);
  const goesOn = hasEnded && (await endedSignIn.askAgain());
  const answer = goesOn ? await withRetry(request, signal) : first;
  lostAnswers.ended(request, answer.error);
  return withRest(request, answer, signal);
};

/** A later repetition is a new call. */
const REPEAT_MS_MAX = 600_000;
const KEY_BYTES = 16;
/** Faults after which the change may have been made. After any other refusal it was not. */
const OPEN_ENDS = ['unknown', 'internal-fault', 'dependency-down', 'read-models-behind'];

const wordsOf = ({ method, path, body, ifMatch }: Call) =>
  `${method} ${path} ${ifMatch} ${JSON.stringify(body)}`;

const isLost = ({ status, code }: CallProblem) =>
  status === 0 || (status >= 500 && OPEN_ENDS.includes(code));

let lost: { words: string; key: string; until: number } | undefined;

/**
 * The idempotency keys of changes. It is unknown whether a change with a lost answer was made: when
 * the next one is identical, it is a repeat with the same key, so that nothing is made twice. After
 * any other change, the same content is a new intention.
 */
export const lostAnswers = {
  withKey<C extends Call>(request: C): C {
    // The files of a form can't be compared; what it brings is only read.
    if (request.method === 'GET' || request.body instanceof FormData) return request;
    const words = wordsOf(request);
    const isRepeat = lost?.words === words && Date.now() < lost.until;
    const idempotencyKey = isRepeat && lost ? lost.key : randomHex(KEY_BYTES);
    lost = undefined;
    return { ...request, idempotencyKey };
  },
  /** Records how a call with a key ended. */
  ended(request: Call, problem: CallProblem | undefined): void {
    const { idempotencyKey: key } = request;
    if (key === undefined || !problem || !isLost(problem)) return;
    lost = { words: wordsOf(request), key, until: Date.now() + REPEAT_MS_MAX };
  },
};
