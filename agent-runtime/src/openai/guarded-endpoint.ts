import { WorkCancelled } from '@tallyhand/contracts/features/tasks/work-failures';
import { EngineFailure } from '../engine.ts';
import type { OutboundPolicy } from '../guard/destination.ts';
import { guardedFetch } from '../guard/guarded-fetch.ts';
import { OutboundFailed } from '../guard/outbound-errors.ts';
import { AnswerTooLarge, timedOut } from './model-calls.ts';

const BYTES_MAX = 4_000_000;
/** Answers of these statuses have no body. */
const BODILESS = [204, 205, 304];

/**
 * `fetch` for endpoints that an organization has entered: through the guard, and without following
 * redirects, because a key must not reach another host.
 */
export const guardedEndpointFetch =
  (policy: OutboundPolicy, totalMs: number, headersMs: number): typeof fetch =>
  async (input, init = {}) => {
    const { method = 'GET', body, signal } = init;
    const url = input instanceof Request ? input.url : input;
    try {
      const answer = await guardedFetch(
        url,
        {
          method,
          headers: Object.fromEntries(new Headers(init.headers)),
          ...(typeof body === 'string' && { body }),
          ...(signal && { signal }),
          limits: { totalMs, headersMs, bodyBytes: BYTES_MAX },
          mayFollow: () => false,
        },
        policy,
      );
      const { status, headers } = answer;
      const stream = BODILESS.includes(status) ? null : ReadableStream.from(readable(answer.body));
      return new Response(stream, { status, headers });
    } catch (error) {
      throw translated(error);
    }
  };

async function* readable(body: AsyncIterable<Uint8Array>) {
  try {
    yield* body;
  } catch (error) {
    throw translated(error);
  }
}

/** Failures that callers of models know; all others count as an unreachable endpoint. */
function translated(error: unknown): unknown {
  if (!(error instanceof OutboundFailed)) return error;
  if (error.kind === 'too-large') return new AnswerTooLarge();
  if (error.kind === 'timeout') return timedOut();
  return error.kind === 'aborted' ? new EngineFailure(WorkCancelled({})) : error;
}
