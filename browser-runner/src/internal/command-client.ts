import { setTimeout as wait } from 'node:timers/promises';
import {
  type AnswerOf,
  type BodyOf,
  type Endpoint,
  pathOf,
} from '@tallyhand/contracts/kernel/endpoint';
import { bearer } from '@tallyhand/service-kit/http/service-token';
import { storable } from '@tallyhand/service-kit/storable';
import { currentTraceparent } from '@tallyhand/service-kit/tracing/tracing';

const CALL_MS_MAX = 30_000;
/** How long the command service may be unreachable before its sessions are given up. */
const PATIENCE_MS = 60_000;
const RETRY_MS = { first: 100, max: 2_000 };

/** The command service refused the call. */
export class CallRefused extends Error {
  readonly status: number;
  readonly code: string;

  constructor(status: number, code: string, detail: string) {
    super(detail);
    this.status = status;
    this.code = code;
  }
}

export type Call<E> = {
  readonly params?: Readonly<Record<string, string>>;
  readonly body: BodyOf<E>;
  readonly signal?: AbortSignal | undefined;
  readonly timeoutMs?: number;
};

export type CommandClient = {
  /** Without retries. Rejects with `CallRefused`, or with the fault when there is no answer. */
  call<E extends Endpoint>(endpoint: E, call: Call<E>): Promise<AnswerOf<E>>;
  /** For repeatable calls: retries for as long as a restart may take. */
  insist<E extends Endpoint>(endpoint: E, call: Call<E>): Promise<AnswerOf<E>>;
};

export function commandClient(
  { commandServiceUrl, internalToken }: { commandServiceUrl: string; internalToken: string },
  patienceMs: number = PATIENCE_MS,
): CommandClient {
  async function call<E extends Endpoint>(
    endpoint: E,
    { params, body, signal, timeoutMs = CALL_MS_MAX }: Call<E>,
  ): Promise<AnswerOf<E>> {
    const tooLate = AbortSignal.timeout(timeoutMs);
    const traceparent = currentTraceparent();
    const response = await fetch(new URL(pathOf(endpoint, params), commandServiceUrl), {
      method: endpoint.method,
      headers: {
        'content-type': 'application/json',
        authorization: bearer(internalToken),
        ...(traceparent === null ? {} : { traceparent }),
      },
      // Pages, models and tools may return anything; text that cannot be stored would be refused.
      body: JSON.stringify(storable(body)),
      signal: signal ? AbortSignal.any([signal, tooLate]) : tooLate,
      redirect: 'error',
    });
    const answer: unknown = await response.json();
    if (response.ok) return endpoint.answer?.parse(answer) as AnswerOf<E>;
    const { code = 'unknown', detail = '' } = answer as { code?: string; detail?: string };
    throw new CallRefused(response.status, code, detail);
  }

  async function insist<E extends Endpoint>(endpoint: E, asked: Call<E>): Promise<AnswerOf<E>> {
    const deadline = performance.now() + patienceMs;
    for (let waitMs = RETRY_MS.first; ; waitMs = Math.min(waitMs * 2, RETRY_MS.max)) {
      try {
        return await call(endpoint, asked);
      } catch (error) {
        if (!isPassing(error) || asked.signal?.aborted) throw error;
        if (performance.now() + waitMs > deadline) throw error;
      }
      await wait(waitMs, undefined, { signal: asked.signal });
    }
  }

  return { call, insist };
}

/** A fault that a retry may avoid; an answer that breaks the contract is final. */
function isPassing(error: unknown): boolean {
  if (error instanceof CallRefused) return error.status >= 500 || error.status === 429;
  return !(error instanceof Error && error.name === 'ZodError');
}
