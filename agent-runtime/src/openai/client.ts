import type { KeyHeader } from '@tallyhand/contracts/features/models/model-providers';
import { WorkCancelled } from '@tallyhand/contracts/features/tasks/work-failures';
import type OpenAI from 'openai';
import { EngineFailure, throwIfCancelled } from '../engine.ts';
import type { OutboundPolicy } from '../guard/destination.ts';
import { fetchThroughGuard } from '../guard/fetch-through-guard.ts';
import { OutboundFailed } from '../guard/outbound-errors.ts';
import { orAborted } from '../or-aborted.ts';
import type { Circuit } from './circuit.ts';
import { loadOpenAi } from './library.ts';
import { AnswerTooLarge, failureFrom, timedOut } from './model-calls.ts';

export type Endpoint = {
  apiKey: string;
  /** By default OpenAI's address. */
  baseURL?: string | undefined;
  /** The header that carries the key; by default `authorization`, as a bearer token. */
  keyHeader?: KeyHeader | undefined;
  /** Guards the calls to an endpoint that an organization has entered. */
  policy?: OutboundPolicy | undefined;
  /** Shared by the answers and plans of a connection; without one, each call is made. */
  circuit?: Circuit | undefined;
};

type Times = {
  /** For a whole answer, with its retries. */
  readonly timeoutMs: number;
  /** Until an attempt is answered. */
  readonly attemptMs?: number;
  readonly maxRetries: number;
};

const openAiAddress = 'https://api.openai.com/v1';
const keyLengthMin = 8;

export type OpenAiClient = () => Promise<OpenAI>;

/** The client of an endpoint, made when it is first asked for. */
export function openAiClient(endpoint: Endpoint, times: Times): OpenAiClient {
  let made: OpenAI | undefined;
  return async () => {
    made ??= await newClient(endpoint, times);
    return made;
  };
}

async function newClient(
  { apiKey, baseURL = openAiAddress, keyHeader = 'authorization', policy }: Endpoint,
  { timeoutMs, attemptMs = timeoutMs, maxRetries }: Times,
): Promise<OpenAI> {
  const { OpenAI } = await loadOpenAi();
  // Azure's `api-version` follows the path of each call.
  const [address, query] = baseURL.split('?');
  // Every option is passed: the client would read omitted ones from the environment.
  return new OpenAI({
    apiKey,
    adminAPIKey: null,
    organization: null,
    project: null,
    webhookSecret: null,
    baseURL: address,
    ...(query && { defaultQuery: Object.fromEntries(new URLSearchParams(query)) }),
    timeout: attemptMs,
    maxRetries,
    ...(keyHeader !== 'authorization' && {
      defaultHeaders: { authorization: null, [keyHeader]: apiKey },
    }),
    fetch: withErrorBodies(
      policy ? guardedEndpointFetch(policy, timeoutMs, attemptMs) : limitedFetch,
    ),
    logLevel: 'off',
  });
}

/**
 * Runs work at the endpoint, including retries and pauses, within the time-out and the circuit of the
 * endpoint. Rejects only with failures.
 */
export function inTime<Result>(
  work: (signal: AbortSignal) => Promise<Result>,
  timeoutMs: number,
  signal: AbortSignal,
  circuit: Circuit = (call) => call(),
): Promise<Result> {
  return circuit(() => attemptInTime(work, timeoutMs, signal));
}

async function attemptInTime<Result>(
  work: (signal: AbortSignal) => Promise<Result>,
  timeoutMs: number,
  signal: AbortSignal,
): Promise<Result> {
  throwIfCancelled(signal);
  const deadline = AbortSignal.timeout(timeoutMs);
  const either = AbortSignal.any([signal, deadline]);
  try {
    return await orAborted(work(either), either);
  } catch (error) {
    throwIfCancelled(signal);
    throw deadline.aborted && !(error instanceof EngineFailure) ? timedOut() : failureFrom(error);
  }
}

/** Removes the key from a model's output. */
export const withoutKey = (text: string, { apiKey }: Endpoint): string =>
  apiKey.length < keyLengthMin ? text : text.replaceAll(apiKey, '[removed]');

const answerBytesMax = 4_000_000;

/** The platform's fetch with a limit on the size of the answer. */
export async function limitedFetch(
  input: string | URL | Request,
  init?: RequestInit,
): Promise<Response> {
  const response = await fetch(input, init);
  if (response.body === null || isKnownToFit(response)) return response;
  let bytes = 0;
  const limit = new TransformStream<Uint8Array, Uint8Array>({
    transform(chunk, controller) {
      bytes += chunk.byteLength;
      if (bytes > answerBytesMax) controller.error(new AnswerTooLarge());
      else controller.enqueue(chunk);
    },
  });
  const { status, statusText, headers } = response;
  return new Response(response.body.pipeThrough(limit), { status, statusText, headers });
}

/** The declared length bounds the body, unless it is compressed. */
function isKnownToFit({ headers }: Response): boolean {
  const length = headers.get('content-length');
  if (length === null || headers.has('content-encoding')) return false;
  return Number(length) <= answerBytesMax;
}

/**
 * The same `fetch`, whose error answers have the form of OpenAI: `{ error: { message } }`. Gemini sends
 * a list of them, vLLM the error itself, and others a `detail`; the client finds nothing in these.
 */
const withErrorBodies =
  (fetch: typeof globalThis.fetch): typeof globalThis.fetch =>
  async (input, init) => {
    const response = await fetch(input, init);
    if (response.ok || response.body === null) return response;
    const { status, statusText, headers } = response;
    return new Response(errorBody(await response.text()), { status, statusText, headers });
  };

function errorBody(text: string): string {
  let said: unknown;
  try {
    said = JSON.parse(text);
  } catch {
    return text;
  }
  const first: unknown = Array.isArray(said) ? said[0] : said;
  if (typeof first !== 'object' || first === null) return text;
  if ('error' in first) return JSON.stringify(first);
  return JSON.stringify({ error: 'message' in first ? first : { message: text } });
}

/** `fetch` for endpoints of models that an organization has entered. */
const guardedEndpointFetch = (
  policy: OutboundPolicy,
  totalMs: number,
  headersMs: number,
): typeof fetch =>
  fetchThroughGuard(policy, { totalMs, headersMs, bodyBytes: answerBytesMax }, translated);

/** Failures that callers of models know; all others count as an unreachable endpoint. */
function translated(error: unknown): unknown {
  if (!(error instanceof OutboundFailed)) return error;
  if (error.kind === 'too-large') return new AnswerTooLarge();
  if (error.kind === 'timeout') return timedOut();
  return error.kind === 'aborted' ? new EngineFailure(WorkCancelled({})) : error;
}
