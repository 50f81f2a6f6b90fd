import {
  ROOT_CONTEXT,
  type SpanContext,
  SpanKind,
  SpanStatusCode,
  TraceFlags,
  trace,
} from '@opentelemetry/api';
import { OTLPTraceExporter } from '@opentelemetry/exporter-trace-otlp-http';
import { resourceFromAttributes } from '@opentelemetry/resources';
import {
  BatchSpanProcessor,
  type IdGenerator,
  RandomIdGenerator,
  type SpanExporter,
  TraceIdRatioBasedSampler,
  TracerProvider,
} from '@opentelemetry/sdk-trace';
import { errorFields, type Log } from '../log.ts';
import type { Parent } from './trace-context.ts';
import type { Span, SpanOptions, Tracer } from './tracing.ts';

/**
 * The queue of unsent spans; beyond it spans are dropped, because nothing may wait for a collector.
 */
const QUEUE_MAX = 4_096;
const BATCH_MAX = 512;
const EXPORT_EVERY_MS = 1_000;
const EXPORT_MS_MAX = 5_000;
/** At the end of the process, for unsent spans. */
const LAST_EXPORT_MS_MAX = 500;

const KINDS = {
  internal: SpanKind.INTERNAL,
  server: SpanKind.SERVER,
  client: SpanKind.CLIENT,
  producer: SpanKind.PRODUCER,
  consumer: SpanKind.CONSUMER,
};

type TracerOptions = {
  /** Of the collector; traces go to /v1/traces below it. */
  readonly endpoint: string;
  /** The share of traces that is kept, from 0 to 1. */
  readonly ratio: number;
  readonly headers?: Readonly<Record<string, string>> | undefined;
  readonly service: string;
  readonly log: Log;
};

/** A tracer that sends its spans by OTLP, as JSON, to a collector. */
export function openTelemetryTracer(options: TracerOptions): Tracer & AsyncDisposable {
  const { endpoint, headers = {}, ratio, service, log } = options;
  const url = `${endpoint.replace(/\/+$/, '')}/v1/traces`;
  const exporter = new OTLPTraceExporter({ url, headers, timeoutMillis: EXPORT_MS_MAX });
  const ids = chosenIds();
  const provider = new TracerProvider({
    resource: resourceFromAttributes({
      'service.namespace': 'tallyhand',
      'service.name': service,
    }),
    // By the trace's id alone, so that all processes keep the same traces, whatever callers
    // request.
    sampler: new TraceIdRatioBasedSampler(ratio),
    idGenerator: ids,
    spanProcessors: [
      new BatchSpanProcessor({
        exporter: toldOnce(exporter, log),
        maxQueueSize: QUEUE_MAX,
        maxExportBatchSize: BATCH_MAX,
        scheduledDelayMillis: EXPORT_EVERY_MS,
        exportTimeoutMillis: EXPORT_MS_MAX,
      }),
    ],
  });
  const tracer = provider.getTracer('tallyhand');
  return {
    begin(name, parent, { kind = 'internal', attributes, spanId, startedAt }: SpanOptions) {
      ids.choose(parent?.traceId, spanId);
      const span = tracer.startSpan(
        name,
        {
          kind: KINDS[kind],
          ...(attributes ? { attributes } : {}),
          ...(startedAt === undefined ? {} : { startTime: startedAt }),
        },
        contextOf(parent),
      );
      return spanOf(span);
    },
    async [Symbol.asyncDispose]() {
      // A collector that hangs, or refuses everything, does not delay the end.
      const sent = provider.shutdown().catch(() => undefined);
      const late = new Promise((resolve) => setTimeout(resolve, LAST_EXPORT_MS_MAX).unref());
      await Promise.race([sent, late]);
    },
  };
}

function contextOf(parent: Parent | null) {
  if (!parent?.spanId) return ROOT_CONTEXT;
  const { traceId, spanId } = parent;
  const context: SpanContext = { traceId, spanId, traceFlags: TraceFlags.SAMPLED, isRemote: true };
  return trace.setSpanContext(ROOT_CONTEXT, context);
}

function spanOf(span: ReturnType<ReturnType<TracerProvider['getTracer']>['startSpan']>): Span {
  const { traceId, spanId, traceFlags } = span.spanContext();
  return {
    context: { traceId, spanId, isSampled: traceFlags === TraceFlags.SAMPLED },
    set: (attributes) => void span.setAttributes(attributes),
    fail(error) {
      if (error instanceof Error) span.setAttribute('error.type', error.name);
      span.setStatus({ code: SpanStatusCode.ERROR });
    },
    end: () => span.end(),
  };
}

/** Ids for the one span that is begun next; random ones where none were chosen. */
function chosenIds(): IdGenerator & { choose(traceId?: string, spanId?: string): void } {
  const random = new RandomIdGenerator();
  let next: { readonly traceId?: string | undefined; readonly spanId?: string | undefined } = {};
  return {
    choose(traceId, spanId) {
      next = { traceId, spanId };
    },
    generateTraceId: () => next.traceId ?? random.generateTraceId(),
    generateSpanId: () => next.spanId ?? random.generateSpanId(),
  };
}

/** Logs when spans begin to be lost, and when that is over; not each time. */
function toldOnce(exporter: OTLPTraceExporter, log: Log): SpanExporter {
  let isFailing = false;
  return {
    export(spans, done) {
      exporter.export(spans, (result) => {
        const failed = result.error !== undefined;
        if (failed && !isFailing) log.warn('traces are lost', errorFields(result.error));
        if (!failed && isFailing) log.warn('traces are accepted again');
        isFailing = failed;
        done(result);
      });
    },
    forceFlush: () => exporter.forceFlush(),
    shutdown: () => exporter.shutdown(),
  };
}
