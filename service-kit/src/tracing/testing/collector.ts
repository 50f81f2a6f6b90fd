import type { ServerResponse } from 'node:http';
import { text } from 'node:stream/consumers';
import { httpServer } from '@tallyhand/test-kit/http-server';

type Value = { readonly stringValue?: string; readonly intValue?: number };

/** A span as OTLP writes it in JSON. */
export type ReceivedSpan = {
  readonly traceId: string;
  readonly spanId: string;
  readonly parentSpanId?: string;
  readonly name: string;
  readonly kind: number;
  readonly startTimeUnixNano: string;
  readonly endTimeUnixNano: string;
  readonly attributes: readonly { readonly key: string; readonly value: Value }[];
  readonly status: { readonly code: number; readonly message?: string };
};

type Export = {
  readonly resourceSpans: readonly {
    readonly scopeSpans: readonly { readonly spans: readonly ReceivedSpan[] }[];
  }[];
};

export type Collector = AsyncDisposable & {
  /** For OTEL_EXPORTER_OTLP_ENDPOINT. */
  readonly endpoint: string;
  /** All spans so far, as they came in. */
  readonly spans: readonly ReceivedSpan[];
  /** The header `api-key` of each request. */
  readonly keys: readonly unknown[];
  /** The raw bodies. */
  readonly texts: readonly string[];
  /** The number of requests, answered or not. */
  readonly asked: () => number;
  /** Without an answer, as at the start. */
  answerWith(answer?: (response: ServerResponse) => void): void;
};

const taken = (response: ServerResponse): void =>
  void response.setHeader('content-type', 'application/json').end('{}');

/** A collector of traces that accepts OTLP over HTTP, as JSON. */
export async function startCollector(): Promise<Collector> {
  const spans: ReceivedSpan[] = [];
  const texts: string[] = [];
  const keys: unknown[] = [];
  let asked = 0;
  let answer: (response: ServerResponse) => void = taken;
  const server = await httpServer(async (request, response) => {
    asked += 1;
    keys.push(request.headers['api-key']);
    const body = await text(request);
    if (request.url !== '/v1/traces') return void response.writeHead(404).end();
    texts.push(body);
    const { resourceSpans } = JSON.parse(body) as Export;
    for (const { scopeSpans } of resourceSpans) {
      for (const scope of scopeSpans) spans.push(...scope.spans);
    }
    answer(response);
  });
  return {
    ...server,
    endpoint: server.origin,
    spans,
    texts,
    keys,
    asked: () => asked,
    answerWith(next = taken) {
      answer = next;
    },
  };
}
