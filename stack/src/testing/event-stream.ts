import { type Endpoint, pathOf } from '@tallyhand/contracts/kernel/endpoint';
import { type ApiClient, cookieOf } from '@tallyhand/test-kit/api-client';
import { EventSourceParserStream } from 'eventsource-parser/stream';

export type StreamEvent = { readonly event: string; readonly data: unknown };

export type OpenedStream = AsyncDisposable & {
  readonly status: number;
  readonly headers: Headers;
  /** The id of the newest event that was read, for `Last-Event-ID`. */
  readonly lastId: string | undefined;
  /** The next event, or undefined after the last one. Comments are left out. */
  next(): Promise<StreamEvent | undefined>;
  /** All events up to one of this name, inclusive, or to the end. */
  until(event: string): Promise<StreamEvent[]>;
  /** Disconnects in the middle, like a closed browser. */
  leave(): void;
};

/** Requests a call's answer as server-sent events, with a client's cookies. */
export async function openStream(
  url: string,
  client: ApiClient,
  endpoint: Endpoint,
  options: {
    readonly params: Readonly<Record<string, string>>;
    readonly body?: object;
    readonly headers?: Readonly<Record<string, string>>;
  },
): Promise<OpenedStream> {
  const leaving = new AbortController();
  const { params, body, headers } = options;
  const response = await fetch(`${url}${pathOf(endpoint, params)}`, {
    method: endpoint.method,
    signal: leaving.signal,
    headers: {
      accept: 'text/event-stream',
      cookie: cookieOf(client),
      ...(body ? { 'content-type': 'application/json' } : {}),
      ...headers,
    },
    ...(body ? { body: JSON.stringify(body) } : {}),
  });
  for (const cookie of response.headers.getSetCookie()) {
    const [name = '', value = ''] = (cookie.split(';')[0] ?? '').split('=');
    client.cookies.set(name, value);
  }
  let lastId: string | undefined;
  const events = eventsOf(response.body ?? new ReadableStream(), (id) => {
    lastId = id;
  });
  const next = async () => (await events.next()).value as StreamEvent | undefined;
  return {
    status: response.status,
    headers: response.headers,
    get lastId() {
      return lastId;
    },
    next,
    async until(name) {
      const seen: StreamEvent[] = [];
      for (let one = await next(); one; one = await next()) {
        seen.push(one);
        if (one.event === name) break;
      }
      return seen;
    },
    leave: () => leaving.abort(),
    async [Symbol.asyncDispose]() {
      leaving.abort();
    },
  };
}

async function* eventsOf(
  body: ReadableStream<Uint8Array>,
  hearId: (id: string) => void,
): AsyncGenerator<StreamEvent> {
  const parsed = body
    .pipeThrough(new TextDecoderStream())
    .pipeThrough(new EventSourceParserStream({ onError: 'terminate' }));
  for await (const { event, data, id } of parsed) {
    if (id !== undefined) hearId(id);
    if (event) yield { event, data: JSON.parse(data) };
  }
}
