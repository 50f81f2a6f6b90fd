import type { OutboundPolicy } from './destination.ts';
import { type GuardedResponse, guardedFetch, type OutboundLimits } from './guarded-fetch.ts';

/** Answers of these statuses have no body. */
const BODILESS = [204, 205, 304];

/**
 * `fetch` for clients of libraries that call a server which an organization has entered: through
 * the guard, and without following redirects, because a key must not reach another host. Errors of
 * the guard pass through `translated`.
 */
export const fetchThroughGuard =
  (
    policy: OutboundPolicy,
    limits: Partial<OutboundLimits>,
    translated: (error: unknown) => unknown = (error) => error,
  ): typeof fetch =>
  async (input, init = {}) => {
    const { method = 'GET', body, signal } = init;
    const url = input instanceof Request ? input.url : input;
    try {
      const answer = await guardedFetch(
        url,
        {
          method,
          headers: Object.fromEntries(new Headers(init.headers)),
          ...((typeof body === 'string' || body instanceof URLSearchParams) && {
            body: String(body),
          }),
          ...(signal && { signal }),
          limits,
          mayFollow: () => false,
        },
        policy,
      );
      const { status, headers } = answer;
      if (BODILESS.includes(status)) {
        answer.discard();
        return new Response(null, { status, headers });
      }
      const stream = ReadableStream.from(readable(answer, translated));
      return new Response(stream, { status, headers });
    } catch (error) {
      throw translated(error);
    }
  };

/** The body. Unlike a generator, it ends the connection even if reading has not begun. */
function readable(
  { body, discard }: GuardedResponse,
  translated: (error: unknown) => unknown,
): AsyncIterableIterator<Uint8Array> {
  const chunks = body[Symbol.asyncIterator]();
  return {
    async next() {
      try {
        return await chunks.next();
      } catch (error) {
        throw translated(error);
      }
    },
    async return() {
      discard();
      return { done: true, value: undefined };
    },
    [Symbol.asyncIterator]() {
      return this;
    },
  };
}
