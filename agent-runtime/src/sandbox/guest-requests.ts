import type { QuickJSContext, QuickJSDeferredPromise, QuickJSHandle } from 'quickjs-emscripten';
import type { ScriptLimits, ScriptRequest } from './script-run.ts';
import type { FromThread, ToThread } from './thread-messages.ts';

type Asked = Extract<FromThread, { kind: 'fetch' }>;
type Answer = Exclude<ToThread, { kind: 'go' }>;

/**
 * The script's requests, from its call to the answer. They are counted here, before anything
 * crosses to the other thread, so that a script can't flood that one with messages.
 */
export function guestRequests(
  context: QuickJSContext,
  limits: ScriptLimits,
  post: (message: Asked) => void,
) {
  const open = new Map<number, QuickJSDeferredPromise>();
  const waiting: Asked[] = [];
  let made = 0;
  let underWay = 0;

  function sendNext(): void {
    while (underWay < limits.fetchesAtOnce) {
      const next = waiting.shift();
      if (next === undefined) return;
      underWay += 1;
      post(next);
    }
  }

  return {
    openCount: () => open.size,

    /** Takes a request as JSON and gives the promise of its answer; throws what the script sees. */
    ask(json: string): QuickJSHandle {
      if (made >= limits.fetches) {
        throw new RangeError(`A script can make ${limits.fetches} requests, not more.`);
      }
      if (Buffer.byteLength(json) > limits.requestBytes) {
        throw new RangeError(`A request can have ${limits.requestBytes} bytes, not more.`);
      }
      const request = readRequest(JSON.parse(json));
      made += 1;
      const promise = context.newPromise();
      open.set(made, promise);
      waiting.push({ kind: 'fetch', id: made, request });
      sendNext();
      return promise.handle;
    },

    settle(message: Answer): void {
      const promise = open.get(message.id);
      if (promise === undefined) return;
      open.delete(message.id);
      underWay -= 1;
      sendNext();
      if (message.kind === 'answered') {
        context.newString(message.response).consume(promise.resolve);
      } else {
        context.newError(message.message).consume(promise.reject);
      }
    },
  };
}

/** A script can change how its requests become JSON, so that their form is not known. */
function readRequest(value: unknown): ScriptRequest {
  const { url, method, headers, body }: Record<string, unknown> = Object(value);
  if (typeof url !== 'string' || typeof method !== 'string') {
    throw new TypeError('A request needs a URL and a method.');
  }
  if (body !== undefined && typeof body !== 'string') {
    throw new TypeError('The body of a request must be a string.');
  }
  const fields = Object.entries(Object(headers)).map(([name, field]) => [name, String(field)]);
  return { url, method, headers: Object.fromEntries(fields), body };
}
