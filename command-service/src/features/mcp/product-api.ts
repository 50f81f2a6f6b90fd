import { once } from 'node:events';
import type { Readable } from 'node:stream';
import { text } from 'node:stream/consumers';
import {
  type AnswerOf,
  type BodyOf,
  type Endpoint,
  pathOf,
} from '@tallyhand/contracts/kernel/endpoint';
import { Problem } from '@tallyhand/contracts/kernel/problem';
import type { Reads } from '@tallyhand/service-kit/http/reads';
import { traceIdOf, traceparentOf } from '@tallyhand/service-kit/tracing/trace-context';
import { currentTrace } from '@tallyhand/service-kit/tracing/tracing';
import { createParser } from 'eventsource-parser';
import type { FastifyInstance, FastifyRequest } from 'fastify';

type Parts<E extends Endpoint> = {
  readonly params?: Readonly<Record<string, string>>;
  /** Absent values are left out. */
  readonly query?: Readonly<Record<string, string | number | undefined>>;
  readonly body?: BodyOf<E>;
  readonly idempotencyKey?: string | undefined;
};

/** A call that was answered with a problem. */
export type Refused = { readonly problem: Problem };
export type Answered<A> = { readonly body: A; readonly nextCursor?: string | undefined };

export const isRefused = (answer: object): answer is Refused => 'problem' in answer;

type ProgressEvent = { readonly event: string; readonly data: unknown };

/**
 * The public API, called for one request with its own API key: access, limits, idempotency and the
 * audit log are those of any other call.
 */
export class ProductApi {
  readonly #app: FastifyInstance;
  readonly #reads: Reads;
  readonly #request: FastifyRequest;

  constructor(app: FastifyInstance, reads: Reads, request: FastifyRequest) {
    this.#app = app;
    this.#reads = reads;
    this.#request = request;
  }

  async read<E extends Endpoint>(
    endpoint: E,
    { params, query = {} }: Parts<E> = {},
  ): Promise<Answered<AnswerOf<E>> | Refused> {
    const given = Object.entries(query).flatMap(([name, value]) =>
      value === undefined ? [] : [[name, String(value)] as [string, string]],
    );
    const search = new URLSearchParams(given).toString();
    const path = pathOf(endpoint, params) + (search && `?${search}`);
    const headers = this.#headers();
    const { status, link, body } = await this.#reads({ path, headers, address: this.#request.ip });
    const answer = answerOf<AnswerOf<E>>(status, body);
    return isRefused(answer) ? answer : { ...answer, nextCursor: cursorIn(link) };
  }

  async command<E extends Endpoint>(
    endpoint: E,
    parts: Parts<E> = {},
  ): Promise<Answered<AnswerOf<E>> | Refused> {
    const { status, body } = await this.#send(endpoint, parts, 'application/json');
    return answerOf(status, await text(body));
  }

  /** A command whose events are passed on while it works; the answer is that of its `reply`. */
  async streamed<E extends Endpoint>(
    endpoint: E,
    parts: Parts<E>,
    onEvent: (event: ProgressEvent) => void,
  ): Promise<Answered<AnswerOf<E>> | Refused> {
    const { status, isStream, body } = await this.#send(endpoint, parts, 'text/event-stream');
    if (!isStream) return answerOf(status, await text(body));
    let last: ProgressEvent | undefined;
    const parser = createParser({
      onEvent({ event = 'message', data }) {
        last = { event, data: JSON.parse(data) };
        onEvent(last);
      },
    });
    body.setEncoding('utf8').on('data', (chunk: string) => parser.feed(chunk));
    await once(body, 'end');
    if (last?.event === 'reply') return { body: last.data as AnswerOf<E> };
    if (last?.event === 'failed') return { problem: Problem.parse(last.data) };
    throw new Error(`${endpoint.name} ended without a reply`);
  }

  async #send<E extends Endpoint>(
    endpoint: E,
    { params, body, idempotencyKey }: Parts<E>,
    accept: string,
  ): Promise<{ status: number; isStream: boolean; body: Readable }> {
    const response = await this.#app.inject({
      method: endpoint.method,
      url: pathOf(endpoint, params),
      remoteAddress: this.#request.ip,
      headers: {
        ...this.#headers(),
        accept,
        ...(idempotencyKey === undefined ? {} : { 'idempotency-key': idempotencyKey }),
      },
      ...(body === undefined ? {} : { payload: body as object }),
      payloadAsStream: true,
    });
    const isStream = String(response.headers['content-type']).startsWith('text/event-stream');
    return { status: response.statusCode, isStream, body: response.stream() };
  }

  /** The calls have the correlation id of the request, and are parts of its trace. */
  #headers(): Record<string, string> {
    const { headers, id } = this.#request;
    const traceId = traceIdOf(id) ?? '';
    const unsampled = { traceId, spanId: traceId.slice(-16), isSampled: false };
    return {
      authorization: headers.authorization ?? '',
      traceparent: traceparentOf(currentTrace() ?? unsampled),
    };
  }
}

function answerOf<A>(status: number, body: string): Answered<A> | Refused {
  const value: unknown = body === '' ? null : JSON.parse(body);
  return status < 300 ? { body: value as A } : { problem: Problem.parse(value) };
}

/** The cursor of the next page, from a Link header. */
function cursorIn(link: string | null): string | undefined {
  const [, next] = /<([^>]+)>; rel="next"/.exec(link ?? '') ?? [];
  return next && (new URL(next, 'http://localhost').searchParams.get('cursor') ?? undefined);
}
