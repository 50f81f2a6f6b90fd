import type { Method } from '@tallyhand/contracts/kernel/endpoint';

/** Random bytes as text. Plain http beyond localhost has no `crypto.randomUUID`. */
export const randomHex = (bytes: number): string =>
  Array.from(crypto.getRandomValues(new Uint8Array(bytes)), (byte) =>
    byte.toString(16).padStart(2, '0'),
  ).join('');

const TRACE_BYTES = 16;
const SPAN_BYTES = 8;
/** Reads within this time after the answer to a change show its result. */
const SHOWN_MS_MAX = 10_000;

type Action = { readonly traceId: string; until: number };

let latest: Action = { traceId: '', until: 0 };

/**
 * Makes a call with the `traceparent` header (W3C Trace Context) that it is to carry: a change begins
 * a trace, and the reads that show it belong to it. Nothing is recorded here.
 */
export async function inTrace<R>(
  method: Method,
  makeCall: (traceparent: string) => Promise<R>,
): Promise<R> {
  const isRead = method === 'GET';
  if (isRead)
    return makeCall(traceparentOf(Date.now() < latest.until ? latest.traceId : newTrace()));
  const own: Action = { traceId: newTrace(), until: Number.POSITIVE_INFINITY };
  latest = own;
  try {
    return await makeCall(traceparentOf(own.traceId));
  } finally {
    own.until = Date.now() + SHOWN_MS_MAX;
  }
}

const newTrace = () => randomHex(TRACE_BYTES);

const traceparentOf = (traceId: string) => `00-${traceId}-${randomHex(SPAN_BYTES)}-00`;
