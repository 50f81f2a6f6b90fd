import { problemOf } from './answers.ts';
import type { Answered } from './call.ts';
import { AnswerError, ApiError, ConnectionError, TallyhandError, TimeoutError } from './errors.ts';
import type { Operation } from './operations.ts';
import type { ChangeOptions, ClientOptions, RequestOptions } from './options.ts';
import { requestBody } from './request-body.ts';
import { backoffMs, retryAfterMs, sleep, timer } from './timing.ts';

const RETRIES = 2;
const TIMEOUT_MS = 600_000;
const ATTEMPT_TIMEOUT_MS = 150_000;
/** A server that asks for more is not waited for. */
const RETRY_AFTER_MS_MAX = 60_000;
const JITTER_MS = 250;
const RETRIED = [408, 429, 502, 503, 504];
/** The call was not carried out: a repetition is safe even without an idempotency key. */
const TOO_MANY = 429;

export type Request = {
  readonly operation: Operation;
  /** The parts of the path that vary, in their order. */
  readonly ids: readonly string[];
  readonly query?: Readonly<Record<string, string>>;
  readonly body?: unknown;
  readonly headers?: Readonly<Record<string, string>>;
};

/** The time of one call with all its attempts and waits. Ends with the caller's signal, too. */
export type Deadline = {
  readonly signal: AbortSignal;
  readonly endsAt: number;
};

/** Sends requests to one address with one key, and repeats those that failed for a while. */
export class Transport {
  readonly #baseUrl: string;
  readonly #apiKey: string | undefined;
  readonly #defaults: Required<Pick<ClientOptions, 'retries' | 'timeoutMs' | 'attemptTimeoutMs'>>;
  readonly #headers: Readonly<Record<string, string>>;
  readonly #fetch: typeof fetch;
  #position: string | undefined;

  constructor(options: ClientOptions) {
    const { retries, timeoutMs, attemptTimeoutMs, headers = {}, position } = options;
    this.#baseUrl = checkedAddress(options.baseUrl);
    this.#apiKey = checkedKey(options.apiKey);
    this.#defaults = {
      retries: retries ?? RETRIES,
      timeoutMs: timeoutMs ?? TIMEOUT_MS,
      attemptTimeoutMs: attemptTimeoutMs ?? ATTEMPT_TIMEOUT_MS,
    };
    this.#headers = headers;
    this.#fetch = options.fetch ?? ((...given) => fetch(...given));
    this.#position = furthest(undefined, position ?? null);
  }

  /** How often to try again. */
  retriesOf({ retries }: RequestOptions): number {
    return retries ?? this.#defaults.retries;
  }

  /** How far this client has seen; its reads include everything until there. */
  get position(): string | undefined {
    return this.#position;
  }

  notePosition(position: string | null): void {
    this.#position = furthest(this.#position, position);
  }

  /** Does the work within the time of one call. */
  async within<T>(options: RequestOptions, work: (deadline: Deadline) => Promise<T>): Promise<T> {
    const timeoutMs = options.timeoutMs ?? this.#defaults.timeoutMs;
    const end = new AbortController();
    const clear = timer(timeoutMs, () =>
      end.abort(new TimeoutError(`The call took longer than ${timeoutMs} ms`)),
    );
    try {
      return await work({
        signal: options.signal ? AbortSignal.any([options.signal, end.signal]) : end.signal,
        endsAt: performance.now() + timeoutMs,
      });
    } finally {
      clear();
    }
  }

  /**
   * Sends the request until it is answered; `read` turns the response into the answer. All attempts
   * share one idempotency key.
   */
  async send<T>(
    request: Request,
    options: RequestOptions,
    deadline: Deadline,
    read: (response: Response) => Promise<T>,
  ): Promise<Answered<T>> {
    const { operation } = request;
    const url = `${this.#baseUrl}${pathOf(request)}`;
    const init = this.#initOf(request, options);
    const retries = this.retriesOf(options);
    for (let attempt = 0; ; attempt += 1) {
      try {
        return await this.#attempt(operation, [url, init], options, deadline, read);
      } catch (error) {
        if (deadline.signal.aborted) throw deadline.signal.reason;
        const waitMs = attempt < retries ? waitBeforeRetry(operation, error, attempt) : null;
        if (waitMs === null || performance.now() + waitMs > deadline.endsAt) throw error;
        await sleep(waitMs, deadline.signal);
      }
    }
  }

  #initOf({ operation, body, headers }: Request, options: ChangeOptions): RequestInit {
    const { takesKey, takes, hasKeyedItems } = operation;
    const content = takes === 'body' ? requestBody(hasKeyedItems ? keyed(body) : (body ?? {})) : {};
    // What no header can hold is refused here, and not taken for a lost connection.
    const all = new Headers({ ...this.#headers, ...options.headers });
    const own = {
      accept: 'application/json',
      ...headers,
      'content-type': content.contentType,
      'if-match': options.ifMatch,
      'idempotency-key': takesKey ? (options.idempotencyKey ?? randomKey()) : undefined,
      'tallyhand-at-least': this.#position,
      authorization: this.#apiKey && `Bearer ${this.#apiKey}`,
    };
    for (const [name, value] of Object.entries(own)) if (value !== undefined) all.set(name, value);
    return {
      method: operation.method,
      headers: all,
      body: content.body,
      // A redirect could lead the key to another server.
      redirect: 'manual',
      credentials: this.#apiKey ? 'omit' : 'same-origin',
    };
  }

  async #attempt<T>(
    { name }: Operation,
    [url, init]: readonly [string, RequestInit],
    options: RequestOptions,
    deadline: Deadline,
    read: (response: Response) => Promise<T>,
  ): Promise<Answered<T>> {
    const timeoutMs = options.attemptTimeoutMs ?? this.#defaults.attemptTimeoutMs;
    const end = new AbortController();
    const clear = timer(timeoutMs, () =>
      end.abort(new TimeoutError(`${name}: no answer within ${timeoutMs} ms`)),
    );
    const signal = AbortSignal.any([deadline.signal, end.signal]);
    try {
      signal.throwIfAborted();
      const response = await this.#fetch(url, { ...init, signal });
      refuseRedirect(response);
      const { headers, status, ok } = response;
      const requestId = headers.get('tallyhand-correlation-id') ?? undefined;
      if (!ok) {
        const problem = await problemOf(response);
        const parts = { call: name, status, requestId, problem };
        throw new ApiError({ ...parts, retryAfterMs: retryAfterMs(response) });
      }
      const data = await read(response);
      this.notePosition(headers.get('tallyhand-position'));
      return { data, response, requestId };
    } catch (error) {
      if (signal.aborted) throw signal.reason;
      if (error instanceof TallyhandError) throw error;
      throw new ConnectionError(`${name}: no answer from ${this.#baseUrl}`, { cause: error });
    } finally {
      clear();
    }
  }
}

/** How long to wait before the call is repeated, or null if it must not be. */
function waitBeforeRetry(operation: Operation, error: unknown, attempt: number): number | null {
  const { method, takesKey, hasKeyedItems } = operation;
  const isSafe = method === 'GET' || takesKey || hasKeyedItems;
  if (error instanceof ConnectionError || error instanceof TimeoutError) {
    return isSafe ? backoffMs(attempt) : null;
  }
  if (!(error instanceof ApiError) || !RETRIED.includes(error.status)) return null;
  if (!isSafe && error.status !== TOO_MANY) return null;
  const { retryAfterMs: asked } = error;
  if (asked === undefined) return backoffMs(attempt);
  return asked > RETRY_AFTER_MS_MAX ? null : asked + Math.random() * JITTER_MS;
}

function refuseRedirect(response: Response) {
  const { status, type, headers } = response;
  if (type !== 'opaqueredirect' && (status < 300 || status > 399)) return;
  void response.body?.cancel().catch(() => {});
  const location = headers.get('location') ?? '';
  const origin = URL.canParse(location) ? new URL(location).origin : 'another address';
  throw new AnswerError(
    `The server redirects to ${origin}. Redirects are not followed, because the API key belongs to baseUrl alone.`,
  );
}

function pathOf({ operation, ids, query = {} }: Request): string {
  let index = 0;
  const path = operation.path.replace(/\{(\w+)\}/g, (_, parameter: string) => {
    const id = ids[index];
    index += 1;
    // These would be another path.
    if (typeof id !== 'string' || ['', '.', '..'].includes(id)) {
      throw new TypeError(`${operation.name}: ${parameter} must be a non-empty string`);
    }
    return encodeURIComponent(id);
  });
  const search = new URLSearchParams(query).toString();
  return search ? `${path}?${search}` : path;
}

function checkedAddress(baseUrl: string): string {
  const url = URL.canParse(baseUrl) ? new URL(baseUrl) : null;
  if (!url || !/^https?:$/.test(url.protocol)) {
    throw new TypeError('baseUrl must be an http or https address');
  }
  if (url.username || url.password) throw new TypeError('baseUrl must not hold a password');
  return `${url.origin}${url.pathname.replace(/\/+$/, '')}`;
}

/** `fetch` would show a malformed key in its error. */
function checkedKey(apiKey: string | undefined): string | undefined {
  if (apiKey === undefined) return undefined;
  if (typeof apiKey === 'string' && /^[\x21-\x7e]+$/.test(apiKey)) return apiKey;
  throw new TypeError('apiKey must be an API key: letters and digits without spaces');
}

/** The body, with keys for those items of its lists that have none. */
const keyed = (body: unknown) =>
  Object.fromEntries(
    Object.entries(body ?? {}).map(([name, value]) => [
      name,
      Array.isArray(value)
        ? value.map((item: object) => ({ idempotencyKey: randomKey(), ...item }))
        : value,
    ]),
  );

/** Also where `crypto.randomUUID` is absent, as on pages without https. */
export function randomKey(): string {
  const bytes = crypto.getRandomValues(new Uint8Array(16));
  return Array.from(bytes, (byte) => byte.toString(16).padStart(2, '0')).join('');
}

/** The parts of a `Tallyhand-Position` of today: `C1042-P1040`. */
const partsOf = (position: string) =>
  /^C(\d{1,20})-P(\d{1,20})$/
    .exec(position)
    ?.slice(1)
    .map((digits) => BigInt(digits));

/**
 * The position that is further ahead: answers may arrive in another order than they were given.
 * Where positions have another format, it is the one that arrived last.
 */
export function furthest(known: string | undefined, arrived: string | null): string | undefined {
  if (arrived === null) return known;
  const [commit, prepare] = partsOf(arrived) ?? [];
  const [knownCommit, knownPrepare] = (known && partsOf(known)) || [];
  if (commit === undefined || prepare === undefined) return arrived;
  if (knownCommit === undefined || knownPrepare === undefined) return arrived;
  const isAhead = commit > knownCommit || (commit === knownCommit && prepare > knownPrepare);
  return isAhead ? arrived : known;
}
