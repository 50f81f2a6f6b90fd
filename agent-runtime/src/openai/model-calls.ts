import { tracingChannel } from 'node:diagnostics_channel';
import type { TokenUsage } from '@tallyhand/contracts/features/models/model-usage';
import {
  ModelAddressRefused,
  ModelAnswerTooLong,
  ModelAnswerUnreadable,
  ModelBusy,
  ModelDown,
  ModelKeyRejected,
  ModelRequestRejected,
  ModelRequestTooLong,
  ModelTimedOut,
  ModelUnknown,
  ModelUnreachable,
} from '@tallyhand/contracts/features/tasks/work-failures';
import type { Sentence } from '@tallyhand/contracts/kernel/sentence';
import { EngineFailure, type ModelCall, type ModelSource, type OnModelCall } from '../engine.ts';
import { OutboundRefused } from '../guard/outbound-errors.ts';
import { isApiError, isGivenUp } from './library.ts';

/** The body of an answer exceeds the limit. */
export class AnswerTooLarge extends Error {}

/**
 * The failure for an error of the client. It never contains text of the endpoint, which may include
 * the key.
 */
export function failureFrom(error: unknown): EngineFailure {
  const known = inChain(error, EngineFailure);
  if (known) return known;
  if (inChain(error, AnswerTooLarge)) return new EngineFailure(ModelAnswerTooLong({}));
  if (inChain(error, OutboundRefused)) return new EngineFailure(ModelAddressRefused({}));
  if (isGivenUp(error)) return timedOut();
  if (error instanceof SyntaxError) return new EngineFailure(ModelAnswerUnreadable({}));
  if (isApiError(error) && isTooLong(`${error.code ?? ''} ${error.message}`)) {
    return new EngineFailure(ModelRequestTooLong({}));
  }
  if (!isApiError(error)) return new EngineFailure(ModelUnreachable({}));
  if (error.status !== undefined) return new EngineFailure(saidOfStatus(error.status));
  // The client finds the error inside of a stream.
  return failureOfAnswer(error.error) ?? new EngineFailure(ModelUnreachable({}));
}

/**
 * The failure for an error inside of an answer whose status was 200; undefined without one. Its code is
 * a status, or a word for a failure of the server.
 */
export function failureOfAnswer(error: unknown): EngineFailure | undefined {
  if (typeof error !== 'object' || error === null) return undefined;
  const { code, message } = error as { code?: unknown; message?: unknown };
  if (isTooLong(`${code} ${message}`)) return new EngineFailure(ModelRequestTooLong({}));
  const status = Number(code);
  const isStatus = Number.isInteger(status) && status >= 400 && status <= 599;
  return new EngineFailure(saidOfStatus(isStatus ? status : 502));
}

/** By what OpenAI, Anthropic, Gemini, xAI, Together, llama.cpp and LM Studio say of it, in this order. */
const TOO_LONG =
  /context_length_exceeded|maximum context length|prompt is too long|exceeds the maximum number of tokens|maximum prompt length|max_new_tokens|exceeds the available context|context length of only/i;
export const isTooLong = (said: string) => TOO_LONG.test(said);

export function timedOut(): EngineFailure {
  return new EngineFailure(ModelTimedOut({}));
}

function saidOfStatus(status: number): Sentence {
  if (status === 401 || status === 403) return ModelKeyRejected({ status });
  if (status === 404) return ModelUnknown({});
  if (status === 429) return ModelBusy({});
  if (status === 408 || status === 409 || status >= 500) return ModelDown({ status });
  return ModelRequestRejected({ status });
}

function inChain<E extends Error>(
  error: unknown,
  kind: abstract new (...args: never[]) => E,
): E | undefined {
  let at = error;
  for (let depth = 0; depth < 5 && at instanceof Error; depth += 1) {
    if (at instanceof kind) return at;
    at = at.cause;
  }
  return undefined;
}

/** For following calls while they are running. */
const channel = tracingChannel('tallyhand:model');

/** Runs the call, and reports it to the listeners and to `tallyhand:model`. */
export async function observeModelCall<Said>(
  {
    source,
    ...asked
  }: Pick<ModelCall, 'purpose' | 'model'> & {
    readonly source?: ModelSource | undefined;
  },
  listeners: readonly (OnModelCall | undefined)[],
  call: () => Promise<Said>,
  usageOf: (said: Said) => TokenUsage,
): Promise<Said> {
  const started = performance.now();
  const report = async (outcome: string, usage: TokenUsage | null) => {
    const seconds = (performance.now() - started) / 1_000;
    // An answer is never lost for want of its price.
    const costMicros = usage && source ? await source.costOf(usage).catch(() => null) : null;
    const connectionId = source?.connectionId ?? null;
    const ended = { ...asked, outcome, seconds, usage, connectionId, costMicros };
    for (const listen of listeners) listen?.(ended);
  };
  const traced: TracedModelCall = { ...asked, usage: null };
  try {
    const said = await channel.tracePromise(async () => {
      const result = await call();
      traced.usage = usageOf(result);
      return result;
    }, traced);
    await report('answered', traced.usage);
    return said;
  } catch (error) {
    await report(failureFrom(error).code, null);
    throw error;
  }
}

/** The message of `tallyhand:model`; `usage` is set when the call has ended. */
type TracedModelCall = Pick<ModelCall, 'purpose' | 'model'> & { usage: TokenUsage | null };

export const sumOfUsage = (a: TokenUsage, b: TokenUsage): TokenUsage => ({
  inputTokens: a.inputTokens + b.inputTokens,
  cachedTokens: a.cachedTokens + b.cachedTokens,
  outputTokens: a.outputTokens + b.outputTokens,
  isEstimated: a.isEstimated || b.isEstimated,
});
