import { type ChannelListener, tracingChannel } from 'node:diagnostics_channel';
import type { Log } from '../log.ts';
import { headersOf, type Settings } from '../settings.ts';
import type { TraceContext } from './trace-context.ts';
import {
  type Attributes,
  beginSpan,
  currentTrace,
  type Span,
  traceContexts,
  useTracer,
} from './tracing.ts';

export type TracingSettings = {
  /** Where spans go. */
  readonly endpoint: string;
  /** Sent with them, as the collector's key. */
  readonly headers?: Readonly<Record<string, string>> | undefined;
  /** The share of traces that is kept. */
  readonly ratio: number;
};

/** Undefined where nothing is traced. */
export const tracingOf = (settings: Settings): TracingSettings | undefined =>
  settings.OTEL_EXPORTER_OTLP_ENDPOINT === undefined
    ? undefined
    : {
        endpoint: settings.OTEL_EXPORTER_OTLP_ENDPOINT,
        headers: headersOf(settings.OTEL_EXPORTER_OTLP_HEADERS ?? '') ?? undefined,
        ratio: Number(settings.OTEL_TRACES_SAMPLER_ARG ?? 1),
      };

/** Traces this process until disposed of. Without settings no tracing code is loaded. */
export async function startTracing(
  tracing: TracingSettings | undefined,
  service: string,
  log: Log,
): Promise<AsyncDisposable> {
  await using starting = new AsyncDisposableStack();
  if (!tracing) return starting.move();
  const { openTelemetryTracer } = await import('./open-telemetry.ts');
  const tracer = starting.use(openTelemetryTracer({ ...tracing, service, log }));
  starting.use(useTracer(tracer));
  starting.use(followChannels());
  return starting.move();
}

/** The diagnostics channels of agent-runtime, which knows nothing of spans. */
type Outbound = { readonly method: string; readonly result?: { readonly status: number } };
type ModelCall = {
  readonly purpose: 'answer' | 'plan' | 'embed';
  readonly model: string;
  readonly usage: { readonly inputTokens: number; readonly outputTokens: number } | null;
};

type Words<M> = {
  readonly name: (message: M) => string;
  readonly begin: (message: M) => Attributes;
  readonly end: (message: M) => Attributes;
};

const outbound: Words<Outbound> = {
  name: ({ method }) => `HTTP ${method}`,
  begin: ({ method }) => ({ 'http.request.method': method }),
  end: ({ result }): Attributes => (result ? { 'http.response.status_code': result.status } : {}),
};

/** Named by OpenTelemetry's conventions for generative AI. */
const modelCalls: Words<ModelCall> = {
  name: ({ purpose, model }) => `${operationOf(purpose)} ${model}`,
  begin: ({ purpose, model }) => ({
    'gen_ai.operation.name': operationOf(purpose),
    'gen_ai.request.model': model,
    'tallyhand.purpose': purpose,
  }),
  end: ({ usage }): Attributes =>
    usage
      ? {
          'gen_ai.usage.input_tokens': usage.inputTokens,
          'gen_ai.usage.output_tokens': usage.outputTokens,
        }
      : {},
};

const operationOf = (purpose: ModelCall['purpose']) =>
  purpose === 'embed' ? 'embeddings' : 'chat';

/** Makes spans of outbound requests and calls of models until disposed of. */
function followChannels(): Disposable {
  const following = new DisposableStack();
  following.use(follow('tallyhand:outbound', outbound));
  following.use(follow('tallyhand:model', modelCalls));
  return following;
}

function follow<M extends object>(channelName: string, words: Words<M>): Disposable {
  const channel = tracingChannel<TraceContext | undefined, M>(channelName);
  const spans = new WeakMap<object, Span>();
  channel.start.bindStore(traceContexts, (message) => {
    // Outside of a trace the span would have no parent.
    const parent = currentTrace();
    if (!parent) return undefined;
    const options = { kind: 'client', attributes: words.begin(message) } as const;
    const span = beginSpan(words.name(message), parent, options);
    if (span) spans.set(message, span);
    return span?.context ?? parent;
  });
  const onError: ChannelListener = (message) => {
    const failed = message as M & { readonly error: unknown };
    spans.get(failed)?.fail(failed.error);
  };
  const onEnd: ChannelListener = (message) => {
    const span = spans.get(message as M);
    span?.set(words.end(message as M));
    span?.end();
  };
  channel.error.subscribe(onError);
  channel.asyncEnd.subscribe(onEnd);
  return {
    [Symbol.dispose]() {
      channel.start.unbindStore(traceContexts);
      channel.error.unsubscribe(onError);
      channel.asyncEnd.unsubscribe(onEnd);
    },
  };
}
